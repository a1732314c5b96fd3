// SPDX-License-Identifier: BSD-3-Clause
#include "platform/check.hpp"

#include <cmath>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "platform/fabric/require.hpp"

namespace orrery::platform {
namespace {

void require_limiter(const std::string& where, double factor) {
  if (!(factor >= 1 && std::isfinite(factor)))
    throw InputError(concat(where, ": limiter_factor is ", factor,
                            ", but one direction alone reaches its bandwidth, so it lies between 1 and 2 "
                            "(2: both directions at full speed)"));
}

void check_cabinets(const std::string& where, const ClusterSpec& cluster) {
  if (cluster.cabinets.empty())
    throw InputError(
        concat(where, ": has no cabinets; a cluster without cabinets needs one, without links of its own"));
  std::unordered_set<std::string_view> names;
  for (const CabinetSpec& cabinet : cluster.cabinets) {
    const std::string here = concat(where, ", cabinet \"", cabinet.name, "\"");
    if (!names.insert(cabinet.name).second) throw InputError(concat(here, ": the name occurs twice"));
    if (cabinet.nodes == 0) throw InputError(concat(here, ": has no nodes"));
    require_not_negative(here, "uplink", cabinet.uplink.bytes_per_s);
    require_not_negative(here, "limiter", cabinet.limiter.bytes_per_s);
    require_not_negative(here, "latency", cabinet.latency.s);
    if (cabinet.uplink.bytes_per_s == 0 && (cabinet.limiter.bytes_per_s > 0 || cabinet.latency.s > 0))
      throw InputError(concat(here, ": has a limiter or a latency but no uplink; give its uplink too"));
  }
}

void check_rails(const std::string& where, const ClusterSpec& cluster) {
  if (cluster.rails == 0) throw InputError(concat(where, ": rails is 0, but a node has at least one link"));
  if (!cluster.rail_planes) return;
  if (cluster.rails == 1) throw InputError(concat(where, ": has rail_planes but one rail; say how many a node has"));
  const bool one_switch = std::holds_alternative<std::monostate>(cluster.fabric);
  if (one_switch || std::holds_alternative<GraphSpec>(cluster.fabric))
    throw InputError(
        concat(where, ": rail_planes are of a fat-tree, torus or dragonfly; ",
               one_switch ? "behind one switch rails do not meet anyway" : "the nodes of a graph have no rails"));
}

void check_fabric(const std::string& where, const ClusterSpec& cluster) {
  if (std::holds_alternative<std::monostate>(cluster.fabric)) return;
  if (cluster.cabinets.size() != 1 || cluster.cabinets.front().uplink.bytes_per_s > 0)
    throw InputError(concat(where, ": has cabinets; what joins them is its fat-tree, torus, dragonfly or graph"));
  if (cluster.backbone.bytes_per_s > 0)
    throw InputError(
        concat(where, ": has a backbone; what joins its nodes is its fat-tree, torus, dragonfly or graph"));
}

void check_virtual_machines(const std::string& where, const ClusterSpec& cluster) {
  if (!cluster.virtual_machines) return;
  const std::uint32_t per_host = cluster.virtual_machines->per_host;
  if (!std::holds_alternative<std::monostate>(cluster.fabric) || cluster.rails > 1)
    throw InputError(concat(where, ": has virtual machines, so it has neither a topology nor rails"));
  for (const CabinetSpec& host : cluster.cabinets)
    if (host.nodes > per_host || (host.nodes < per_host && &host != &cluster.cabinets.back()))
      throw InputError(
          concat(where, ", host \"", host.name, "\": has ", host.nodes, " virtual machines, not ", per_host));
}

void check_cluster(const ClusterSpec& cluster) {
  const std::string where = concat("cluster \"", cluster.name, "\"");
  if (cluster.name.empty()) throw InputError("a cluster has no name");
  if (cluster.cores == 0) throw InputError(concat(where, ": cores is 0, but a node has at least one"));
  if (cluster.sockets == 0 || cluster.cores % cluster.sockets != 0)
    throw InputError(
        concat(where, ": ", cluster.cores, " cores cannot be shared equally by ", cluster.sockets, " sockets"));
  require_positive(where, "speed", cluster.speed);
  if (!std::holds_alternative<GraphSpec>(cluster.fabric))
    require_positive(where, "bandwidth", cluster.bandwidth.bytes_per_s);
  require_not_negative(where, "latency", cluster.latency.s);
  require_limiter(where, cluster.limiter_factor);
  require_positive(where, "memory_bandwidth", cluster.memory_bandwidth.bytes_per_s);
  require_not_negative(where, "memory_latency", cluster.memory_latency.s);
  require_not_negative(where, "socket_bandwidth", cluster.socket_bandwidth.bytes_per_s);
  require_not_negative(where, "socket_latency", cluster.socket_latency.s);
  if (cluster.socket_bandwidth.bytes_per_s > 0 && cluster.sockets == 1)
    throw InputError(concat(where, ": has a socket_bandwidth but one socket; say how many sockets a node has"));
  require_not_negative(where, "backbone", cluster.backbone.bytes_per_s);
  require_not_negative(where, "backbone_latency", cluster.backbone_latency.s);
  if (cluster.backbone.bytes_per_s == 0 && cluster.backbone_latency.s > 0)
    throw InputError(concat(where, ": has a backbone_latency but no backbone; give its bandwidth too"));
  check_rails(where, cluster);
  check_cabinets(where, cluster);
  check_fabric(where, cluster);
  check_virtual_machines(where, cluster);
}

void check_wan(const WanSpec& wan, const std::vector<ClusterSpec>& clusters) {
  const auto count = clusters.size();
  if (wan.from >= count || wan.to >= count)
    throw InputError(
        concat("wide-area link ", wan.from, " - ", wan.to, ": there are ", count, " clusters, numbered from 0"));
  const std::string where =
      concat("wide-area link \"", clusters[wan.from].name, "\" - \"", clusters[wan.to].name, "\"");
  if (wan.from == wan.to) throw InputError(concat(where, ": joins a cluster to itself"));
  require_positive(where, "bandwidth", wan.bandwidth.bytes_per_s);
  require_not_negative(where, "latency", wan.latency.s);
  require_limiter(where, wan.limiter_factor);
}

}  // namespace

void check(const std::vector<ClusterSpec>& clusters, const std::vector<WanSpec>& wan) {
  if (clusters.empty()) throw InputError("the platform has no cluster");
  std::unordered_set<std::string_view> names;
  for (const ClusterSpec& cluster : clusters) {
    check_cluster(cluster);
    if (!names.insert(cluster.name).second)
      throw InputError(concat("cluster \"", cluster.name, "\": the name occurs twice"));
    if (cluster.site.empty() != clusters.front().site.empty())
      throw InputError(concat("cluster \"", cluster.name, "\": name the site of every cluster, or of none"));
  }
  for (const WanSpec& link : wan) check_wan(link, clusters);
}

void check_distinct(const std::vector<Host>& hosts) {
  std::unordered_set<std::string_view> names;
  names.reserve(hosts.size());
  for (const Host& host : hosts)
    if (!names.insert(host.name).second)
      throw InputError(
          concat("host \"", host.name, "\": two nodes have this name; change prefix or first of a cluster"));
}

}  // namespace orrery::platform
