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

Platform::Platform(std::string name, std::vector<ClusterSpec> clusters, std::vector<WanSpec> wan)
    : state_(std::make_shared<const State>(State{std::move(name), Layout(std::move(clusters), std::move(wan))})) {}

const std::string& Platform::name() const { return state_->name; }
const std::vector<Host>& Platform::hosts() const { return state_->layout.hosts; }
const std::vector<ClusterSpec>& Platform::clusters() const { return state_->layout.specs; }
const std::vector<WanSpec>& Platform::wan() const { return state_->layout.wan_specs; }

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
    if (here.fabric)
      route.fabric(here, [&](const Fabric& f, Fabric::Links& links) { f.leave(from - here.first_host, links); });
    route.out_of_cabinet(source);
    route.backbone(source.cluster);
    route.between_clusters(source.cluster, target.cluster);
    route.into_cabinet(target);
    if (there.fabric)
      route.fabric(there, [&](const Fabric& f, Fabric::Links& links) { f.enter(to - there.first_host, links); });
  } else if (layout.specs[source.cluster].virtual_machines) {
    route.memory();
  } else if (source.up == kNone) {
    route.backbone(source.cluster);
  }
  route.into_node();
  if (out.links.empty()) route.memory();  // nodes of a graph joined by edges without links
}

std::uint32_t Platform::longest_route() const {
  const Layout& layout = state_->layout;
  std::uint32_t node = 0, cabinet = 0, backbone = 0, fabric = 0, memory = 1;
  for (const Cluster& cluster : layout.clusters) {
    if (cluster.rails > 0) node = std::max(node, cluster.limits_nodes() ? 2u : 1u);
    if (cluster.fabric) fabric = std::max(fabric, cluster.fabric->longest_route());
    backbone |= cluster.backbone != kNone;
    if (cluster.memory_links > 1) memory = 3;
  }
  for (const Cabinet& c : layout.cabinets)
    cabinet = std::max(cabinet, std::uint32_t{c.up != kNone} + std::uint32_t{c.limiter != kNone});
  const std::uint32_t wan_hop = 2 + backbone;
  const std::uint32_t fabrics = layout.clusters.size() > 1 ? 2 : 1;
  return std::max(memory, 2 * (node + cabinet) + backbone + fabrics * fabric +
                              wan_hop * static_cast<std::uint32_t>(layout.wan_paths.longest()));
}

}  // namespace orrery::platform
