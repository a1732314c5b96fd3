// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "platform/platform.hpp"

namespace orrery::platform {

/// Checks what no single key of the tables shows. Clusters are as they come from `resolved`.
/// @throws InputError naming the cluster, cabinet or wide-area link, and what it may have.
void check(const std::vector<settings::Cluster>& clusters, const std::vector<settings::Wan>& wan);

/// @throws InputError for a name that two hosts share
void check_distinct(const std::vector<Host>& hosts);

}  // namespace orrery::platform
