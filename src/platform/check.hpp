// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "platform/platform.hpp"

namespace orrery::platform {

/// Checks the specifications, but not the names of hosts.
/// @throws InputError naming the cluster, cabinet or wide-area link, the field, what it holds and what it may hold.
void check(const std::vector<ClusterSpec>& clusters, const std::vector<WanSpec>& wan);

/// @throws InputError for a name that two hosts share
void check_distinct(const std::vector<Host>& hosts);

}  // namespace orrery::platform
