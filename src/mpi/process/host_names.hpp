// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// From now on this process, and those that it forks, have the name of the simulated host that this rank is on, and
/// names of simulated hosts lead to this host.
void take_host_name(const channel::Memory& of_run, int world_rank);

}  // namespace orrery::mpi
