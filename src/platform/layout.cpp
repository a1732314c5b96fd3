// SPDX-License-Identifier: BSD-3-Clause
#include "platform/layout.hpp"

#include <algorithm>
#include <utility>

#include "platform/check.hpp"

namespace orrery::platform {
namespace {

WanPaths checked_paths(const std::vector<ClusterSpec>& clusters, const std::vector<WanSpec>& wan) {
  check(clusters, wan);
  return {clusters, wan};
}

bool has_limiter(double factor) { return factor < 2; }

}  // namespace

Layout::Layout(std::vector<ClusterSpec> cluster_specs, std::vector<WanSpec> wan)
    : specs(std::move(cluster_specs)), wan_specs(std::move(wan)), wan_paths(checked_paths(specs, wan_specs)) {
  for (const ClusterSpec& spec : specs) add_cluster(spec);
  for (const WanSpec& spec : wan_specs) add_wan(spec);
  check_distinct(hosts);
  number_node_links();
}

LinkId Layout::add_trunk(LinkKind kind, std::string name, Bandwidth bandwidth, Duration latency) {
  trunks.push_back({std::move(name), bandwidth, latency, true, kind});
  return static_cast<LinkId>(trunks.size() - 1);
}

void Layout::add_cluster(const ClusterSpec& spec) {
  clusters.push_back(
      {.first_host = static_cast<HostId>(hosts.size()), .links_per_node = has_limiter(spec.limiter_factor) ? 4u : 3u});
  if (spec.backbone.bytes_per_s > 0)
    clusters.back().backbone =
        add_trunk(LinkKind::Backbone, spec.name + "/backbone", spec.backbone, spec.backbone_latency);
  for (const CabinetSpec& cabinet : spec.cabinets) add_cabinet(spec, cabinet);
}

void Layout::add_cabinet(const ClusterSpec& cluster, const CabinetSpec& spec) {
  Cabinet cabinet{.cluster = static_cast<std::uint32_t>(clusters.size() - 1)};
  const std::string prefix = cluster.name + "/" + spec.name;
  if (spec.uplink.bytes_per_s > 0) {
    cabinet.up = add_trunk(LinkKind::CabinetUp, prefix + "/up", spec.uplink, spec.latency);
    cabinet.down = add_trunk(LinkKind::CabinetDown, prefix + "/down", spec.uplink, spec.latency);
  }
  if (spec.limiter.bytes_per_s > 0)
    cabinet.limiter = add_trunk(LinkKind::CabinetLimiter, prefix + "/limiter", spec.limiter, {});
  cabinets.push_back(cabinet);

  for (std::uint32_t node = 0; node < spec.nodes; ++node) {
    const std::size_t number = cluster.first + (hosts.size() - clusters.back().first_host);
    hosts.push_back({cluster.prefix + std::to_string(number), cluster.cores, cluster.speed});
    cabinet_of_host.push_back(static_cast<std::uint32_t>(cabinets.size() - 1));
  }
}

void Layout::add_wan(const WanSpec& spec) {
  // The number keeps two parallel links apart.
  const std::string prefix = "wan" + std::to_string(wans.size()) + "/";
  const std::string& from = specs[spec.from].name;
  const std::string& to = specs[spec.to].name;
  Wan wan;
  wan.forward = add_trunk(LinkKind::Wan, prefix + from + "-" + to, spec.bandwidth, spec.latency);
  wan.backward = add_trunk(LinkKind::Wan, prefix + to + "-" + from, spec.bandwidth, spec.latency);
  if (has_limiter(spec.limiter_factor))
    wan.limiter = add_trunk(LinkKind::WanLimiter, prefix + "limiter", spec.bandwidth * spec.limiter_factor, {});
  wans.push_back(wan);
}

void Layout::number_node_links() {
  link_count = static_cast<LinkId>(trunks.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const std::size_t end = i + 1 < clusters.size() ? clusters[i + 1].first_host : hosts.size();
    clusters[i].first_link = link_count;
    link_count += static_cast<LinkId>(end - clusters[i].first_host) * clusters[i].links_per_node;
  }
}

Link Layout::describe_node_link(LinkId id) const {
  const auto after = std::upper_bound(clusters.begin(), clusters.end(), id,
                                      [](LinkId link, const Cluster& cluster) { return link < cluster.first_link; });
  const Cluster& cluster = *(after - 1);
  const ClusterSpec& spec = specs[static_cast<std::size_t>(after - 1 - clusters.begin())];
  const LinkId offset = id - cluster.first_link;
  const std::string& host = hosts[cluster.first_host + offset / cluster.links_per_node].name;
  switch (static_cast<NodeLink>(offset % cluster.links_per_node)) {
    case kUp: return {host + "/up", spec.bandwidth, spec.latency, true, LinkKind::NodeUp};
    case kDown: return {host + "/down", spec.bandwidth, spec.latency, true, LinkKind::NodeDown};
    case kMemory: return {host + "/memory", spec.memory_bandwidth, spec.memory_latency, true, LinkKind::Memory};
    case kLimiter: break;
  }
  return {host + "/limiter", spec.bandwidth * spec.limiter_factor, {}, true, LinkKind::NodeLimiter};
}

}  // namespace orrery::platform
