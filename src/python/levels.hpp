// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collective/places.hpp"
#include "mpi/channel.hpp"
#include "platform/platform.hpp"

namespace orrery::python {

/// How the platform divides the ranks, from the largest parts to the smallest: site, cluster, cabinet, node, socket.
/// Sites only where clusters name them, cabinets only where a cluster has several, sockets only where a node has.
///
/// The first rank of a node has its first core, the next one the next, and so on in turn.
[[nodiscard]] std::vector<mpi::channel::Level> levels_of(const platform::Platform& platform,
                                                         const std::vector<platform::HostId>& host_of_rank);

/// The same as collective algorithms know it.
[[nodiscard]] std::vector<collective::Places::Level> places_of_levels(std::vector<mpi::channel::Level> levels);

}  // namespace orrery::python
