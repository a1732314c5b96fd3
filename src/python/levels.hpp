// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collective/places.hpp"
#include "mpi/channel/channel.hpp"
#include "platform/platform.hpp"

namespace orrery::python {

/// Where ranks are.
struct Located {
  std::vector<platform::HostId> hosts;
  std::vector<platform::HostId> places;  ///< in their hosts; none: no host has several sockets
};

/// From positions in `Platform::hosts`, or places of `Platform::place`. Where no rank names another socket than the
/// first, the first rank of a node has its first core, the next one the next, and so on in turn.
[[nodiscard]] Located locate(const platform::Platform& platform, const std::vector<platform::HostId>& place_of_rank);

/// How the platform divides the ranks, from the largest parts to the smallest: site, cluster, cabinet, node, socket.
/// Sites only where clusters name them, cabinets only where a cluster has several, sockets only where a node has.
[[nodiscard]] std::vector<mpi::channel::Level> levels_of(const platform::Platform& platform, const Located& ranks);

/// Levels as collective algorithms know them.
[[nodiscard]] std::vector<collective::Places::Level> places_of_levels(std::vector<mpi::channel::Level> levels);

}  // namespace orrery::python
