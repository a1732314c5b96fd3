// SPDX-License-Identifier: BSD-3-Clause
#include "platform/resolve.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace orrery::platform {
namespace {

constexpr double full_duplex = 2;

/// The last host may have fewer machines than the others.
void put_on_hosts(settings::Cluster& cluster, const settings::Virtual& machines) {
  const double rate = cluster.bandwidth_bytes_per_s, factor = cluster.limiter_factor;
  for (std::uint32_t left = cluster.nodes.value_or(0); left > 0; left -= cluster.cabinets.back().nodes)
    cluster.cabinets.push_back({.name = concat("host-", cluster.cabinets.size() + 1),
                                .nodes = std::min(machines.per_host, left),
                                .uplink_bytes_per_s = rate,
                                .limiter_bytes_per_s = factor < full_duplex ? rate * factor : 0,
                                .latency_s = cluster.latency_s});
  if (machines.bandwidth_bytes_per_s > 0) cluster.bandwidth_bytes_per_s = machines.bandwidth_bytes_per_s;
  cluster.latency_s = machines.latency_s;
  cluster.limiter_factor = full_duplex;
}

}  // namespace

settings::Cluster resolved(settings::Cluster cluster) {
  settings::check(cluster, concat("cluster \"", cluster.name, "\""));
  if (cluster.prefix.empty()) cluster.prefix = cluster.name + "-";
  if (cluster.virtual_)
    put_on_hosts(cluster, *cluster.virtual_);
  else if (cluster.cabinets.empty() && !has_topology(cluster))
    cluster.cabinets.push_back({.nodes = cluster.nodes.value_or(0)});
  for (std::size_t i = 0; i < cluster.cabinets.size(); ++i)
    if (cluster.cabinets[i].name.empty()) cluster.cabinets[i].name = concat(cluster.name, "-cabinet-", i + 1);
  return cluster;
}

std::uint32_t cluster_named(const std::vector<settings::Cluster>& clusters, std::string_view name) {
  const auto found = std::ranges::find(clusters, name, &settings::Cluster::name);
  if (found == clusters.end()) throw InputError(concat("there is no cluster \"", name, "\""));
  return static_cast<std::uint32_t>(found - clusters.begin());
}

bool has_topology(const settings::Cluster& cluster) {
  return cluster.fat_tree || cluster.torus || cluster.dragonfly || cluster.graph;
}

}  // namespace orrery::platform
