// SPDX-License-Identifier: BSD-3-Clause
#include "platform/platform.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "platform/layout.hpp"

namespace orrery::platform {

struct Platform::State {
  std::string name;
  Layout layout;
};

Platform::Platform(std::string name, std::vector<ClusterSpec> clusters, std::vector<WanSpec> wan)
    : state_(std::make_shared<const State>(State{std::move(name), Layout(std::move(clusters), std::move(wan))})) {}

const std::string& Platform::name() const { return state_->name; }
const std::vector<Host>& Platform::hosts() const { return state_->layout.hosts; }
const std::vector<ClusterSpec>& Platform::clusters() const { return state_->layout.specs; }
const std::vector<WanSpec>& Platform::wan() const { return state_->layout.wan_specs; }

std::uint32_t Platform::cabinet_of(HostId host) const { return state_->layout.cabinet_of_host[host]; }
std::uint32_t Platform::cluster_of(HostId host) const { return state_->layout.cabinets[cabinet_of(host)].cluster; }

std::uint32_t Platform::link_count() const { return state_->layout.link_count; }

Link Platform::link(LinkId id) const {
  const std::vector<Link>& trunks = state_->layout.trunks;
  return id < trunks.size() ? trunks[id] : state_->layout.describe_node_link(id);
}

std::vector<Link> Platform::links() const {
  std::vector<Link> all;
  all.reserve(link_count());
  for (LinkId id = 0; id < link_count(); ++id) all.push_back(link(id));
  return all;
}

namespace {

/// Appends links to a route and keeps its latency and bandwidth.
class RouteBuilder {
 public:
  RouteBuilder(const Layout& layout, Route& out) : layout_(layout), out_(out) {
    out_.links.clear();
    out_.latency = {};
    out_.bandwidth = {std::numeric_limits<double>::infinity()};
  }

  void memory(HostId host, const Cabinet& cabinet) {
    const ClusterSpec& spec = layout_.specs[cabinet.cluster];
    add(layout_.node_link(host, layout_.clusters[cabinet.cluster], kMemory), spec.memory_bandwidth,
        spec.memory_latency);
  }
  void out_of_node(HostId host, const Cabinet& cabinet) {
    node(host, cabinet, kUp);
    node_limiter(host, cabinet);
  }
  void into_node(HostId host, const Cabinet& cabinet) {
    node_limiter(host, cabinet);
    node(host, cabinet, kDown);
  }
  void out_of_cabinet(const Cabinet& cabinet) {
    trunk(cabinet.up);
    trunk(cabinet.limiter);
  }
  void into_cabinet(const Cabinet& cabinet) {
    trunk(cabinet.limiter);
    trunk(cabinet.down);
  }
  void backbone(std::uint32_t cluster) { trunk(layout_.clusters[cluster].backbone); }

  void between_clusters(std::uint32_t from, std::uint32_t to) {
    for (const WanPaths::Hop& hop : layout_.wan_paths.between(from, to)) {
      const Wan& wan = layout_.wans[hop.wan];
      trunk(hop.forward ? wan.forward : wan.backward);
      trunk(wan.limiter);
      backbone(hop.arrives_at);
    }
  }

 private:
  void add(LinkId link, Bandwidth bandwidth, Duration latency) {
    out_.links.push_back(link);
    out_.latency += latency;
    out_.bandwidth = std::min(out_.bandwidth, bandwidth);
  }
  void trunk(LinkId link) {
    if (link != kNone) add(link, layout_.trunks[link].bandwidth, layout_.trunks[link].latency);
  }
  void node(HostId host, const Cabinet& cabinet, NodeLink which) {
    const ClusterSpec& spec = layout_.specs[cabinet.cluster];
    add(layout_.node_link(host, layout_.clusters[cabinet.cluster], which), spec.bandwidth, spec.latency);
  }
  void node_limiter(HostId host, const Cabinet& cabinet) {
    const ClusterSpec& spec = layout_.specs[cabinet.cluster];
    const Cluster& cluster = layout_.clusters[cabinet.cluster];
    if (cluster.limits_nodes())
      add(layout_.node_link(host, cluster, kLimiter), spec.bandwidth * spec.limiter_factor, {});
  }

  const Layout& layout_;
  Route& out_;
};

}  // namespace

void Platform::route(HostId from, HostId to, Route& out) const {
  const Layout& layout = state_->layout;
  const Cabinet& source = layout.cabinets[cabinet_of(from)];
  const Cabinet& target = layout.cabinets[cabinet_of(to)];
  RouteBuilder route(layout, out);
  if (from == to) return route.memory(from, source);

  route.out_of_node(from, source);
  if (&source != &target) {
    route.out_of_cabinet(source);
    route.backbone(source.cluster);
    route.between_clusters(source.cluster, target.cluster);
    route.into_cabinet(target);
  } else if (source.up == kNone) {
    route.backbone(source.cluster);
  }
  route.into_node(to, target);
}

std::uint32_t Platform::longest_route() const {
  const Layout& layout = state_->layout;
  std::uint32_t node = 0, cabinet = 0, backbone = 0;
  for (const Cluster& cluster : layout.clusters) {
    node = std::max(node, cluster.limits_nodes() ? 2u : 1u);
    backbone |= cluster.backbone != kNone;
  }
  for (const Cabinet& c : layout.cabinets)
    cabinet = std::max(cabinet, std::uint32_t{c.up != kNone} + std::uint32_t{c.limiter != kNone});
  const std::uint32_t wan_hop = 2 + backbone;
  return 2 * (node + cabinet) + backbone + wan_hop * static_cast<std::uint32_t>(layout.wan_paths.longest());
}

}  // namespace orrery::platform
