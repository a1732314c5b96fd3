// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "settings/cluster.hpp"

/// From what a platform file leaves out to what the layout reads.
namespace orrery::platform {

/// The cluster with names of its nodes and cabinets. If it has neither cabinets nor a topology, all its nodes are in
/// one cabinet without links of its own. Hosts of virtual machines become cabinets, whose links the machines share.
/// @throws InputError for a value that its table does not allow
[[nodiscard]] settings::Cluster resolved(settings::Cluster cluster);

/// Position of a cluster.
/// @throws InputError if there is none of that name
[[nodiscard]] std::uint32_t cluster_named(const std::vector<settings::Cluster>& clusters, std::string_view name);

/// Whether a topology joins the nodes, other than a switch or cabinets.
[[nodiscard]] bool has_topology(const settings::Cluster& cluster);

}  // namespace orrery::platform
