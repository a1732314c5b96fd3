// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "platform/platform.hpp"
#include "platform/wan_paths.hpp"

namespace orrery::platform {

inline constexpr LinkId kNone = std::numeric_limits<LinkId>::max();

/// Ids of a node's links follow each other, in this order; the limiter is left out where there is none.
enum NodeLink : LinkId { kUp, kDown, kMemory, kLimiter };

/// Where a cluster's nodes and links begin.
struct Cluster {
  HostId first_host = 0;
  LinkId first_link = 0;      ///< of its nodes' links
  LinkId links_per_node = 3;  ///< 4 with a limiter
  LinkId backbone = kNone;

  [[nodiscard]] bool limits_nodes() const { return links_per_node > kLimiter; }
};

struct Cabinet {
  std::uint32_t cluster = 0;
  LinkId up = kNone, down = kNone, limiter = kNone;
};

struct Wan {
  LinkId forward = kNone, backward = kNone, limiter = kNone;
};

/// The specifications with every host and link numbered.
///
/// Links that are not a node's come first and are stored ("trunks"); those of the nodes follow, cluster by cluster, and
/// are computed.
struct Layout {
  std::vector<ClusterSpec> specs;
  std::vector<WanSpec> wan_specs;
  WanPaths wan_paths;
  std::vector<Host> hosts;
  std::vector<std::uint32_t> cabinet_of_host;
  std::vector<Cluster> clusters;
  std::vector<Cabinet> cabinets;
  std::vector<Wan> wans;
  std::vector<Link> trunks;
  LinkId link_count = 0;

  /// @throws InputError as `Platform` does
  Layout(std::vector<ClusterSpec> cluster_specs, std::vector<WanSpec> wan);

  [[nodiscard]] LinkId node_link(HostId host, const Cluster& cluster, NodeLink which) const {
    return cluster.first_link + (host - cluster.first_host) * cluster.links_per_node + which;
  }
  [[nodiscard]] Link describe_node_link(LinkId id) const;

 private:
  LinkId add_trunk(LinkKind kind, std::string name, Bandwidth bandwidth, Duration latency);
  void add_cluster(const ClusterSpec& spec);
  void add_cabinet(const ClusterSpec& cluster, const CabinetSpec& cabinet);
  void add_wan(const WanSpec& spec);
  void number_node_links();
};

}  // namespace orrery::platform
