// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "platform/platform.hpp"

/// What the tests of connections between clusters share.
namespace orrery::platform::example {

/// Two nodes behind a switch: 100 B/s and 1 s each way.
inline ClusterSpec two_nodes(const std::string& name, Connectivity connectivity) {
  return {.name = name,
          .prefix = name,
          .bandwidth = {100},
          .latency = {1},
          .memory_bandwidth = {1000},
          .cabinets = {{.name = "all", .nodes = 2}},
          .gateway_note = {},
          .connectivity = connectivity};
}

}  // namespace orrery::platform::example
