// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/channel/channel.hpp"

/// What ranks ask the run for besides messages (op::Kind::Service): words in shared memory, answered with a word.
namespace orrery::mpi::channel {

/// `Operation::tag` of a request, and its words.
enum class ServiceKind : std::int32_t {
  Spawn,      ///< for each command: how many words of it follow, maxprocs, directory, search path, program, arguments.
              ///< `Operation::comm`: whose members are the parents. Answered with the number of the inter-communicator
  Publish,    ///< name, port
  Unpublish,  ///< name, port
  Lookup,     ///< name; answered with the port
};

/// Words as they lie in memory, each with a terminating zero.
[[nodiscard]] std::string join(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> split(std::string_view joined);

/// Copies a text into the arena; who reads it releases it. @throws std::bad_alloc
[[nodiscard]] Offset put_text(Memory& memory, std::string_view text);
/// Takes it out again. A place that no text can have gives an empty one.
[[nodiscard]] std::string take_text(Memory& memory, Offset place, std::size_t length);

}  // namespace orrery::mpi::channel
