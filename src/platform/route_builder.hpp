// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "platform/fabric/draw.hpp"
#include "platform/layout.hpp"

namespace orrery::platform {

/// Appends links to a route and keeps its latency and bandwidth.
class RouteBuilder {
 public:
  RouteBuilder(const Layout& layout, HostId from, HostId to, Route& out)
      : layout_(layout), from_(from), to_(to), out_(out) {
    out_.links.clear();
    out_.latency = {};
    out_.bandwidth = unlimited;
    out_.relayed.reset();
  }

  void memory() {
    const Cabinet& cabinet = cabinet_of(from_);
    const settings::Cluster& spec = layout_.specs[cabinet.cluster];
    add(layout_.clusters[cabinet.cluster].memory(from_), {spec.memory_bandwidth_bytes_per_s}, {spec.memory_latency_s});
  }
  /// Within a node, between sockets, which may be the same. The memory latency counts once.
  void memory(std::uint32_t from_socket, std::uint32_t to_socket) {
    const std::uint32_t index = cabinet_of(from_).cluster;
    const Cluster& cluster = layout_.clusters[index];
    if (cluster.memory_links == 1) return memory();
    const settings::Cluster& spec = layout_.specs[index];
    const Bandwidth memory{spec.memory_bandwidth_bytes_per_s};
    add(cluster.memory(from_, from_socket), memory, {spec.memory_latency_s});
    if (from_socket == to_socket) return;
    add(cluster.between_sockets(from_), {spec.socket_bandwidth_bytes_per_s}, {spec.socket_latency_s});
    add(cluster.memory(from_, to_socket), memory, {});
  }
  void out_of_node() {
    const std::uint32_t rail = rail_of(from_);
    node(from_, rail, up_link);
    node(from_, rail, limiter_link);
  }
  void into_node() {
    const std::uint32_t rail = rail_of(to_);
    node(to_, rail, limiter_link);
    node(to_, rail, down_link);
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

  /// Over the relay on the frontal of a cluster. What is added after it is the way out.
  void relay(std::uint32_t cluster) {
    const Cluster& at = layout_.clusters[cluster];
    trunk(at.frontal_in);
    out_.relayed = Relayed{
        .in = {out_.latency, out_.bandwidth}, .out = {}, .buffer_bytes = layout_.specs[cluster].frontal->buffer_bytes};
    trunk(at.relay);
    before_relay_ = {out_.latency, out_.bandwidth};
    out_.bandwidth = unlimited;
    trunk(at.frontal_out);
  }
  /// The route is complete.
  void arrive() {
    if (!out_.relayed) return;
    out_.relayed->out = {out_.latency - before_relay_.latency, out_.bandwidth};
    out_.bandwidth = std::min(out_.bandwidth, before_relay_.bandwidth);
  }
  /// A small message to the broker, or from it, passes the frontal of a cluster.
  void pass_frontal(std::uint32_t cluster) {
    const Cluster& at = layout_.clusters[cluster];
    trunk(at.frontal_in);
    trunk(at.relay);
    trunk(at.frontal_out);
  }

  void between_clusters(std::uint32_t from, std::uint32_t to) {
    for (const WanPaths::Hop& hop : layout_.wan_paths.between(from, to)) {
      const Wan& wan = layout_.wans[hop.wan];
      trunk(hop.forward ? wan.forward : wan.backward);
      trunk(wan.limiter);
      backbone(hop.arrives_at);
    }
  }

  /// Crosses a fabric, in the plane of the rail. `walk(fabric, links)` appends links by their numbers in the fabric,
  /// which are then replaced by link ids.
  template <class Walk>
  void fabric(const Cluster& cluster, Walk walk) {
    const std::uint32_t plane = cluster.planes > 1 && within_cluster() ? rail_of(from_) : 0;
    const std::size_t before = out_.links.size();
    walk(*cluster.fabric, out_.links);
    std::size_t kept = before;
    for (std::size_t i = before; i < out_.links.size(); ++i) {
      const Fabric::LinkCost cost = cluster.fabric_cost(out_.links[i]);
      const LinkId id = cluster.fabric_link(plane, out_.links[i]);
      price(cost.bandwidth, cost.latency);
      // A route of a graph may cross a link twice. Its latency counts twice, but the flow has one share of the link.
      const auto begin = out_.links.begin() + static_cast<std::ptrdiff_t>(before);
      const auto end = out_.links.begin() + static_cast<std::ptrdiff_t>(kept);
      if (cluster.rails > 0 || std::find(begin, end, id) == end) out_.links[kept++] = id;
    }
    out_.links.resize(kept);
  }

 private:
  static constexpr Bandwidth unlimited{std::numeric_limits<double>::infinity()};

  [[nodiscard]] const Cabinet& cabinet_of(HostId host) const { return layout_.cabinets[layout_.cabinet_of_host[host]]; }
  [[nodiscard]] bool within_cluster() const { return cabinet_of(from_).cluster == cabinet_of(to_).cluster; }
  [[nodiscard]] std::uint32_t rail_of(HostId host) const {
    const Cluster& cluster = layout_.clusters[cabinet_of(host).cluster];
    if (cluster.planes > 1 && !within_cluster()) return 0;
    const std::uint32_t rails = cluster.rails;
    return rails > 1 ? static_cast<std::uint32_t>(draw(0, from_, to_) % rails) : 0;
  }
  void price(Bandwidth bandwidth, Duration latency) {
    out_.latency += latency;
    out_.bandwidth = std::min(out_.bandwidth, bandwidth);
  }
  void add(LinkId link, Bandwidth bandwidth, Duration latency) {
    out_.links.push_back(link);
    price(bandwidth, latency);
  }
  void trunk(LinkId link) {
    if (link != none) add(link, layout_.trunks[link].bandwidth, layout_.trunks[link].latency);
  }
  void node(HostId host, std::uint32_t rail, RailLink which) {
    const std::uint32_t index = cabinet_of(host).cluster;
    const Cluster& cluster = layout_.clusters[index];
    const settings::Cluster& spec = layout_.specs[index];
    if (cluster.rails == 0 || (which == limiter_link && !cluster.limits_nodes())) return;
    const double factor = which == limiter_link ? spec.limiter_factor : 1;
    add(cluster.rail(host, rail, which), cluster.rail_bandwidth * factor, {which == limiter_link ? 0 : spec.latency_s});
  }

  const Layout& layout_;
  HostId from_, to_;
  Route& out_;
  Relayed::Leg before_relay_{};
};

}  // namespace orrery::platform
