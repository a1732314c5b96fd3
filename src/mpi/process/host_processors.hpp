// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// From now on this process, and those that it forks, see the processors of the simulated host that this rank is on,
/// all of them, as a rank does that is bound to none; if they are known.
void take_host_processors(const channel::Memory& of_run, int world_rank);

/// Processors of the host that this process really runs on.
[[nodiscard]] int processors_of_this_host();

}  // namespace orrery::mpi
