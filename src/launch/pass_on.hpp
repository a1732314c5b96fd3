// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "mpi/channel/channel.hpp"

namespace orrery::launch {

/// Which processes of a run get a signal that came for all of it.
enum class PassTo : std::uint8_t {
  All,       ///< each rank, whatever it does with it
  Handlers,  ///< those that have a handler for it: the others would end, and the run with them
};

/// Passes a signal on to the ranks, as mpiexec does: to the processes that have called MPI_Init, to wrappers around
/// them that have a handler, and to programs that have not got to MPI_Init. A program that has forked its ranks gets
/// none.
/// @param leaders the processes that were started, each of which leads a session; those that have ended are zombies
/// @param forks whether the leader forks the ranks
/// @return how many processes got it
std::uint32_t pass_on(int signal, PassTo to, const mpi::channel::Memory& memory, const std::vector<pid_t>& leaders,
                      bool forks);

/// Whether the process has a handler for the signal; false if it has ended.
[[nodiscard]] bool handles(pid_t process, int signal);

}  // namespace orrery::launch
