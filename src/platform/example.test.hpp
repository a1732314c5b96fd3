// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "platform/platform.hpp"

/// What the tests of platforms share.
namespace orrery::platform::example {

/// Two nodes behind a switch: 100 B/s and 1 s each way.
inline settings::Cluster two_nodes(const std::string& name, settings::Connectivity connectivity) {
  return {.name = name,
          .prefix = name,
          .nodes = 2,
          .cores = 1,
          .bandwidth_bytes_per_s = 100,
          .latency_s = 1,
          .memory_bandwidth_bytes_per_s = 1000,
          .connectivity = connectivity};
}

inline Route route_between(const Platform& platform, HostId from, HostId to) {
  Route out;
  platform.route(from, to, out);
  return out;
}

}  // namespace orrery::platform::example
