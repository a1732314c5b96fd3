// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace orrery::mpi::channel {

/// What the system says of a process (proc(5)).
struct ProcessState {
  bool asleep = true;         ///< all of its threads, until they are woken
  bool has_children = false;  ///< as far as the system tells
  std::uint64_t ticks = 0;    ///< processor time that it has used
};

/// None if the process has ended. Cost: a few files for each of its threads.
[[nodiscard]] std::optional<ProcessState> state_of(pid_t process);

}  // namespace orrery::mpi::channel
