// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "launch/gather.hpp"
#include "launch/launch.hpp"
#include "launch/processes.hpp"
#include "launch/services.hpp"
#include "launch/watch.hpp"
#include "mpi/channel/channel.hpp"

namespace orrery::launch {

/// The entry of the environment that only processes of the run with this memory have.
[[nodiscard]] std::string memory_mark(const mpi::channel::Memory& memory);

struct Started {
  std::vector<Leader> leaders;
  Descriptor ended_ranks;  ///< where the template reports ended ranks
};

/// Starts the template (Start::Fork, Start::Auto), or all ranks. Rank 0 has the launcher's standard input, with
/// Start::Exec the others have none. What has been started is in `processes`, also when it throws.
/// @throws StartError, InputError
[[nodiscard]] Started start_processes(const Job& job, const mpi::channel::Memory& memory, const Gather& gather,
                                      Processes& processes);

/// Starts the ranks of the job but the first, which the template has become, without input. What has been started is in
/// `processes` and in `leaders`, also when it throws.
/// @throws StartError, InputError
void start_all_but_first(const Job& job, const mpi::channel::Memory& memory, Gather& gather, Processes& processes,
                         std::vector<Leader>& leaders);

/// Starts the processes of a program during the run, as ranks from `first` on, without input. What has been started is
/// in `processes` and in `leaders`, also when it throws.
/// @throws StartError, InputError
void start_more(const Job& job, const mpi::channel::Memory& memory, const NewProgram& program, std::int32_t first,
                Gather& gather, Processes& processes, std::vector<Leader>& leaders);

}  // namespace orrery::launch
