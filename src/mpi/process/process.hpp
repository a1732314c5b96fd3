// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "mpi/channel/channel.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

/// Where the process is in the life of the world model; sessions are apart from it.
enum class Stage : std::uint8_t {
  Before,     ///< before MPI_Init
  Running,    ///< between MPI_Init and MPI_Finalize
  Finalized,  ///< after MPI_Finalize
};

/// The one rank of this process. Neither memory nor rank is ever destroyed: a program may call what is allowed after
/// MPI_Finalize up to its last instruction.
struct Process {
  Stage stage = Stage::Before;
  channel::Memory* memory = nullptr;
  Rank* rank = nullptr;
  int thread_level = 0;
  int sessions = 0;       ///< open now
  bool alone = false;     ///< nobody has started it as a rank: it is the only one, and nothing is simulated
  bool outlives = false;  ///< it has had a session: it is a rank until it ends
};

[[nodiscard]] Process& process();

/// How many ranks the run has, at any time; none in a process that orrery did not start.
[[nodiscard]] std::optional<int> ranks_of_run();
/// Whether this process was forked by one that is a rank.
[[nodiscard]] bool is_forked_from_rank();
/// That in words.
[[nodiscard]] std::string forked();
/// Makes this process a rank, forking the others if it is the template. Ends the process when it
/// cannot.
void become_rank();
/// Ends the run and this process, which cannot be the rank.
[[noreturn]] void refuse_to_be(channel::Memory& memory, int world_rank, const std::string& why);
/// Finalises the rank: the process goes on alone.
void leave_run();

}  // namespace orrery::mpi
