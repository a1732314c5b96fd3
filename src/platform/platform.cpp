// SPDX-License-Identifier: BSD-3-Clause
#include "platform/platform.hpp"

#include <algorithm>
#include <utility>

#include "platform/layout.hpp"
#include "platform/route_builder.hpp"

namespace orrery::platform {

struct Platform::State {
  std::string name;
  Layout layout;
};

Platform::Platform(std::string name, std::vector<settings::Cluster> clusters, const std::vector<settings::Wan>& wan,
                   std::optional<settings::Broker> broker)
    : state_(
          std::make_shared<const State>(State{std::move(name), Layout(std::move(clusters), wan, std::move(broker))})) {}

const std::string& Platform::name() const { return state_->name; }
const std::vector<Host>& Platform::hosts() const { return state_->layout.hosts; }
const std::vector<settings::Cluster>& Platform::clusters() const { return state_->layout.specs; }
const std::optional<settings::Broker>& Platform::broker() const { return state_->layout.broker; }

std::uint32_t Platform::cabinet_of(HostId host) const { return state_->layout.cabinet_of_host[host]; }
std::uint32_t Platform::cluster_of(HostId host) const { return state_->layout.cabinets[cabinet_of(host)].cluster; }

std::uint32_t Platform::cabinet_count() const { return static_cast<std::uint32_t>(state_->layout.cabinets.size()); }

std::uint32_t Platform::switch_count() const { return state_->layout.switch_count; }
std::string Platform::vertex_name(VertexId vertex) const {
  const auto count = static_cast<VertexId>(hosts().size());
  return vertex < count ? hosts()[vertex].name : state_->layout.name_of_switch(vertex - count);
}

std::uint32_t Platform::link_count() const { return state_->layout.link_count; }

Link Platform::link(LinkId id) const { return state_->layout.describe(id); }

std::vector<Link> Platform::links() const {
  std::vector<Link> all;
  all.reserve(link_count());
  for (LinkId id = 0; id < link_count(); ++id) all.push_back(link(id));
  return all;
}

HostId Platform::place_count() const { return state_->layout.place_count; }

HostId Platform::place(HostId host, std::uint32_t socket) const {
  const Cluster& cluster = state_->layout.clusters[cluster_of(host)];
  return socket == 0 ? host : cluster.first_place + (host - cluster.first_host) * (cluster.sockets - 1) + socket - 1;
}

HostId Platform::host_of(HostId place) const {
  const Layout& layout = state_->layout;
  if (place < layout.hosts.size()) return place;
  const Cluster& cluster = layout.cluster_of_place(place);
  return cluster.first_host + (place - cluster.first_place) / (cluster.sockets - 1);
}

std::uint32_t Platform::socket_of(HostId place) const {
  const Layout& layout = state_->layout;
  if (place < layout.hosts.size()) return 0;
  const Cluster& cluster = layout.cluster_of_place(place);
  return (place - cluster.first_place) % (cluster.sockets - 1) + 1;
}

namespace {

/// From a node whose links have been crossed to where the wide-area links of its cluster begin.
void out_to_gateway(const Layout& layout, HostId from, RouteBuilder& route) {
  const Cabinet& cabinet = layout.cabinets[layout.cabinet_of_host[from]];
  const Cluster& cluster = layout.clusters[cabinet.cluster];
  if (cluster.fabric)
    route.fabric(cluster, [&](const Fabric& f, Fabric::Links& links) { f.leave(from - cluster.first_host, links); });
  route.out_of_cabinet(cabinet);
  route.backbone(cabinet.cluster);
}

/// Between the gateways of two clusters, which may be the same; over a relay if their nodes cannot connect.
void between_clusters(const Layout& layout, std::uint32_t from, std::uint32_t to, RouteBuilder& route) {
  const std::optional<std::uint32_t> relay = from == to ? std::nullopt : layout.reach.relay(from, to);
  if (relay == from) route.relay(from);
  route.between_clusters(from, to);
  if (relay == to) route.relay(to);
}

/// Latency of a node's way to the broker; the way back is taken to be the same. The frontal of its cluster, if there is
/// one, passes messages on.
Duration to_broker(const Layout& layout, HostId host) {
  const std::uint32_t cluster = layout.cabinets[layout.cabinet_of_host[host]].cluster;
  Route way;
  RouteBuilder route(layout, host, host, way);
  route.out_of_node();
  out_to_gateway(layout, host, route);
  route.pass_frontal(cluster);
  route.between_clusters(cluster, layout.broker_cluster);
  return way.latency + Duration{layout.broker->latency_s};
}

}  // namespace

void Platform::route(HostId from_place, HostId to_place, Route& out) const {
  const Layout& layout = state_->layout;
  const HostId from = host_of(from_place), to = host_of(to_place);
  const Cabinet& source = layout.cabinets[cabinet_of(from)];
  const Cabinet& target = layout.cabinets[cabinet_of(to)];
  const Cluster& here = layout.clusters[source.cluster];
  const Cluster& there = layout.clusters[target.cluster];
  RouteBuilder route(layout, from, to, out);
  if (from == to) return route.memory(socket_of(from_place), socket_of(to_place));

  route.out_of_node();
  if (&here == &there && here.fabric) {
    route.fabric(here, [&](const Fabric& fabric, Fabric::Links& links) {
      fabric.route(from - here.first_host, to - here.first_host, links);
    });
  } else if (&source != &target) {
    out_to_gateway(layout, from, route);
    between_clusters(layout, source.cluster, target.cluster, route);
    route.into_cabinet(target);
    if (there.fabric)
      route.fabric(there, [&](const Fabric& f, Fabric::Links& links) { f.enter(to - there.first_host, links); });
  } else if (layout.specs[source.cluster].virtual_) {
    route.memory();
  } else if (source.up == none) {
    route.backbone(source.cluster);
  }
  route.into_node();
  route.arrive();
  if (out.links.empty()) route.memory();  // nodes of a graph joined by edges without links
}

std::optional<Connection> Platform::connection(HostId from, HostId to) const {
  const Layout& layout = state_->layout;
  const std::uint32_t here = cluster_of(from), there = cluster_of(to);
  if (!layout.broker || here == there) return std::nullopt;
  Connection connection{.technique = layout.reach.technique(here, there), .asks = to_broker(layout, from)};
  const Duration asks = connection.asks, told = to_broker(layout, to);
  Route way;
  route(from, to, way);
  switch (connection.technique) {
    // The answer, and a round trip of TCP (SYN, SYN-ACK); the ACK travels with the message.
    case Technique::Direct: connection.then = asks + 2 * way.latency; break;
    // The request to the other node, its SYN, the SYN-ACK and the ACK.
    case Technique::Reverse: connection.then = told + 3 * way.latency; break;
    // Both are told; their SYN cross each other, and so do their SYN-ACK (RFC 9293, 3.5).
    case Technique::Traversing: connection.then = std::max(asks, told) + 2 * way.latency; break;
    // Both are told, and connect to the relay.
    case Technique::Relay:
      connection.then = std::max(asks + 2 * way.relayed->in.latency, told + 2 * way.relayed->out.latency);
      connection.relay = layout.reach.relay(here, there);
      break;
  }
  return connection;
}

std::uint32_t Platform::longest_route() const {
  const Layout& layout = state_->layout;
  std::uint32_t node = 0, cabinet = 0, backbone = 0, fabric = 0, memory = 1;
  for (const Cluster& cluster : layout.clusters) {
    if (cluster.rails > 0) node = std::max(node, cluster.limits_nodes() ? 2u : 1u);
    if (cluster.fabric) fabric = std::max(fabric, cluster.fabric->longest_route());
    backbone |= cluster.backbone != none;
    if (cluster.memory_links > 1) memory = 3;
  }
  for (const Cabinet& c : layout.cabinets)
    cabinet = std::max(cabinet, std::uint32_t{c.up != none} + std::uint32_t{c.limiter != none});
  const bool relays = std::ranges::any_of(layout.clusters, [](const Cluster& c) { return c.relay != none; });
  const std::uint32_t wan_hop = 2 + backbone;
  const std::uint32_t fabrics = layout.clusters.size() > 1 ? 2 : 1;
  return std::max(memory, 2 * (node + cabinet) + backbone + fabrics * fabric + (relays ? 3 : 0) +
                              wan_hop * static_cast<std::uint32_t>(layout.wan_paths.longest()));
}

}  // namespace orrery::platform
