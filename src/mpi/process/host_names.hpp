// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// From now on names of simulated hosts lead to this host, in this process and in those that it forks.
void resolve_simulated_hosts(const channel::Memory& of_run);

}  // namespace orrery::mpi
