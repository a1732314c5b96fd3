// SPDX-License-Identifier: BSD-3-Clause
#include "platform/check.hpp"

#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "platform/resolve.hpp"

namespace orrery::platform {
namespace {

void check_cabinets(const std::string& where, const settings::Cluster& cluster) {
  std::unordered_set<std::string_view> names;
  for (const settings::Cabinet& cabinet : cluster.cabinets) {
    const std::string here = concat(where, ", cabinet \"", cabinet.name, "\"");
    if (!names.insert(cabinet.name).second) throw InputError(concat(here, ": the name occurs twice"));
    if (cabinet.nodes == 0) throw InputError(concat(here, ": has no nodes"));
  }
}

void check_planes(const std::string& where, const settings::Cluster& cluster) {
  if (cluster.rail_planes && (cluster.graph || !has_topology(cluster)))
    throw InputError(
        concat(where, ": rail_planes are of a fat-tree, torus or dragonfly; ",
               cluster.graph ? "the nodes of a graph have no rails" : "behind one switch rails do not meet anyway"));
}

void check_topology(const std::string& where, const settings::Cluster& cluster) {
  if (!has_topology(cluster)) return;
  if (!cluster.cabinets.empty())
    throw InputError(concat(where, ": has cabinets; what joins them is its fat-tree, torus, dragonfly or graph"));
  if (cluster.backbone_bytes_per_s > 0)
    throw InputError(
        concat(where, ": has a backbone; what joins its nodes is its fat-tree, torus, dragonfly or graph"));
  if (cluster.fat_tree.has_value() + cluster.torus.has_value() + cluster.dragonfly.has_value() +
          cluster.graph.has_value() >
      1)
    throw InputError(concat(where, ": its nodes are joined by several topologies; leave one of them"));
}

void check_cluster(const settings::Cluster& cluster) {
  const std::string where = concat("cluster \"", cluster.name, "\"");
  if (cluster.name.empty()) throw InputError("a cluster has no name");
  if (cluster.cores % cluster.sockets != 0)
    throw InputError(
        concat(where, ": ", cluster.cores, " cores cannot be shared equally by ", cluster.sockets, " sockets"));
  if (!cluster.graph && cluster.bandwidth_bytes_per_s == 0)
    throw InputError(concat(where, ": bandwidth_bytes_per_s is 0; only the nodes of a graph have no links"));
  if (cluster.backbone_bytes_per_s == 0 && cluster.backbone_latency_s > 0)
    throw InputError(concat(where, ": has a backbone_latency but no backbone; give its bandwidth too"));
  if (cluster.virtual_ && (has_topology(cluster) || cluster.rails > 1))
    throw InputError(concat(where, ": has virtual machines, so it has neither a topology nor rails"));
  check_planes(where, cluster);
  check_cabinets(where, cluster);
  check_topology(where, cluster);
}

void check_wan(const settings::Wan& wan) {
  const std::string where = concat("wide-area link \"", wan.from_cluster, "\" - \"", wan.to_cluster, "\"");
  settings::check(wan, where);
  if (wan.from_cluster == wan.to_cluster) throw InputError(concat(where, ": joins a cluster to itself"));
}

}  // namespace

void check(const std::vector<settings::Cluster>& clusters, const std::vector<settings::Wan>& wan) {
  if (clusters.empty()) throw InputError("the platform has no cluster");
  std::unordered_set<std::string_view> names;
  for (const settings::Cluster& cluster : clusters) {
    check_cluster(cluster);
    if (!names.insert(cluster.name).second)
      throw InputError(concat("cluster \"", cluster.name, "\": the name occurs twice"));
    if (cluster.site.empty() != clusters.front().site.empty())
      throw InputError(concat("cluster \"", cluster.name, "\": name the site of every cluster, or of none"));
  }
  for (const settings::Wan& link : wan) check_wan(link);
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
