// SPDX-License-Identifier: BSD-3-Clause
#include "platform/layout.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "platform/check.hpp"
#include "platform/resolve.hpp"

namespace orrery::platform {
namespace {

std::vector<settings::Cluster> checked(std::vector<settings::Cluster> clusters, const std::vector<settings::Wan>& wan) {
  for (settings::Cluster& cluster : clusters) cluster = resolved(std::move(cluster));
  check(clusters, wan);
  return clusters;
}

bool has_limiter(double factor) { return factor < 2; }

/// @throws InputError for more than there may be: a few numbers of a file can ask for any number, of some 200 bytes
/// each
void check_links(const std::string& what, std::uint64_t count) {
  constexpr std::uint64_t most_links = std::uint64_t{1} << 23;
  if (count > most_links) throw InputError(concat(what, " has ", count, " links; expected at most ", most_links));
}

std::string plane_name(const Cluster& cluster, std::uint32_t plane) {
  return cluster.planes > 1 ? concat("/plane", plane + 1) : "";
}

}  // namespace

Layout::Layout(std::vector<settings::Cluster> cluster_specs, const std::vector<settings::Wan>& wan,
               std::optional<settings::Broker> its_broker)
    : specs(checked(std::move(cluster_specs), wan)),
      broker(std::move(its_broker)),
      wan_paths(specs, wan),
      reach(specs, broker) {
  if (broker) broker_cluster = cluster_named(specs, broker->cluster);
  for (const settings::Cluster& spec : specs) add_cluster(spec);
  number_switches();
  for (const settings::Wan& spec : wan) add_wan(spec);
  check_distinct(hosts);
  number_links();
  number_places();
}

LinkId Layout::add_trunk(Link link) {
  trunks.push_back(std::move(link));
  return static_cast<LinkId>(trunks.size() - 1);
}

void Layout::add_cluster(const settings::Cluster& spec) {
  const bool striped = spec.rail_use == settings::RailUse::Striped;
  Cluster cluster;
  cluster.first_host = static_cast<HostId>(hosts.size());
  cluster.rails = spec.graph ? 0 : striped ? 1 : spec.rails;
  cluster.rail_bandwidth = {spec.bandwidth_bytes_per_s * (striped ? spec.rails : 1)};
  if (spec.rail_planes && striped) cluster.cables = spec.rails;
  if (spec.rail_planes && !striped) cluster.planes = spec.rails;
  cluster.links_per_rail = has_limiter(spec.limiter_factor) ? 3 : 2;
  cluster.sockets = spec.sockets;
  if (spec.virtual_) cluster.per_host = spec.virtual_->per_host;
  cluster.memory_links = spec.sockets > 1 && spec.socket_bandwidth_bytes_per_s > 0 ? spec.sockets + 1 : 1;
  clusters.push_back(std::move(cluster));
  if (spec.backbone_bytes_per_s > 0)
    clusters.back().backbone = add_trunk({.name = spec.name + "/backbone",
                                          .bandwidth = {spec.backbone_bytes_per_s},
                                          .latency = {spec.backbone_latency_s},
                                          .kind = LinkKind::Backbone});
  if (spec.frontal) add_frontal(spec);
  if (has_topology(spec)) add_fabric(spec);
  for (const settings::Cabinet& cabinet : spec.cabinets) add_cabinet(spec, cabinet);
}

void Layout::add_frontal(const settings::Cluster& spec) {
  const settings::Frontal& frontal = *spec.frontal;
  Cluster& cluster = clusters.back();
  const auto add = [&](const char* which, double bytes_per_s, double latency_s, LinkKind kind) {
    return add_trunk(
        {.name = spec.name + "/frontal" + which, .bandwidth = {bytes_per_s}, .latency = {latency_s}, .kind = kind});
  };
  cluster.frontal_in = add("/in", frontal.bandwidth_bytes_per_s, frontal.latency_s, LinkKind::FrontalIn);
  cluster.relay = add("/relay", frontal.relay_bytes_per_s, frontal.handling_s, LinkKind::Relay);
  cluster.frontal_out = add("/out", frontal.bandwidth_bytes_per_s, frontal.latency_s, LinkKind::FrontalOut);
}

void Layout::add_fabric(const settings::Cluster& spec) {
  Cluster& cluster = clusters.back();
  if (spec.graph && specs.size() > 1 && spec.graph->gateway.empty())
    throw InputError(concat("cluster \"", spec.name, "\": a graph with wide-area links needs a gateway"));
  cluster.fabric = make_fabric(spec);
  // Of a graph the file names each node; other nodes have a link at least.
  const std::uint64_t own = spec.graph ? 0 : cluster.fabric->node_count();
  check_links(concat("cluster \"", spec.name, "\""), std::uint64_t{cluster.fabric->link_count()} + own);
  const auto first_cabinet = static_cast<std::uint32_t>(cabinets.size());
  const auto index = static_cast<std::uint32_t>(clusters.size() - 1);
  cabinets.resize(cabinets.size() + cluster.fabric->group_count(), {.cluster = index});
  add_hosts(spec, cluster.fabric->node_count());
  for (std::uint32_t node = 0; node < cluster.nodes; ++node)
    cabinet_of_host.push_back(first_cabinet + cluster.fabric->group_of(node));
}

void Layout::add_cabinet(const settings::Cluster& cluster, const settings::Cabinet& spec) {
  Cabinet cabinet{.cluster = static_cast<std::uint32_t>(clusters.size() - 1)};
  const std::string prefix = cluster.name + "/" + spec.name;
  if (spec.uplink_bytes_per_s > 0) {
    const auto trunk = [&](const char* which, LinkKind kind) {
      return add_trunk(
          {.name = prefix + which, .bandwidth = {spec.uplink_bytes_per_s}, .latency = {spec.latency_s}, .kind = kind});
    };
    cabinet.up = trunk("/up", LinkKind::CabinetUp);
    cabinet.down = trunk("/down", LinkKind::CabinetDown);
  }
  if (spec.limiter_bytes_per_s > 0)
    cabinet.limiter = add_trunk({.name = prefix + "/limiter",
                                 .bandwidth = {spec.limiter_bytes_per_s},
                                 .latency = {},
                                 .kind = LinkKind::CabinetLimiter});
  cabinets.push_back(cabinet);
  add_hosts(cluster, spec.nodes);
  cabinet_of_host.resize(hosts.size(), static_cast<std::uint32_t>(cabinets.size() - 1));
}

void Layout::add_hosts(const settings::Cluster& cluster, std::uint32_t nodes) {
  clusters.back().nodes += nodes;
  if (cluster.graph) {
    for (const settings::GraphNode& node : cluster.graph->nodes)
      hosts.push_back(
          {node.name, node.cores.value_or(cluster.cores), node.speed.value_or(cluster.speed), cluster.sockets});
    return;
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::size_t number = cluster.first + (hosts.size() - clusters.back().first_host);
    hosts.push_back({concat(cluster.prefix, number, cluster.suffix), cluster.cores, cluster.speed, cluster.sockets});
  }
}

/// A cluster without a fabric has one switch that joins nodes and cabinets, and one for each cabinet with an uplink.
void Layout::number_switches() {
  for (Cluster& cluster : clusters) {
    cluster.first_switch = static_cast<VertexId>(hosts.size()) + switch_count;
    switch_count += cluster.fabric ? cluster.planes * cluster.fabric->switch_count() : 1;
    if (cluster.fabric) continue;
    const auto index = static_cast<std::uint32_t>(&cluster - clusters.data());
    for (Cabinet& cabinet : cabinets) {
      if (cabinet.cluster != index) continue;
      cabinet.joined_by = cluster.first_switch;
      if (cabinet.up == none) continue;
      cabinet.joined_by = static_cast<VertexId>(hosts.size()) + switch_count++;
      trunks[cabinet.up].from = trunks[cabinet.down].to = cabinet.joined_by;
      trunks[cabinet.up].to = trunks[cabinet.down].from = cluster.first_switch;
    }
  }
}

void Layout::add_wan(const settings::Wan& spec) {
  // The number distinguishes parallel links between the same clusters.
  const std::string prefix = concat("wan", wans.size(), "/");
  const auto direction = [&](std::uint32_t from, std::uint32_t to) {
    return add_trunk({.name = prefix + specs[from].name + "-" + specs[to].name,
                      .bandwidth = {spec.bandwidth_bytes_per_s},
                      .latency = {spec.latency_s},
                      .kind = LinkKind::Wan,
                      .from = clusters[from].first_switch,
                      .to = clusters[to].first_switch});
  };
  Wan wan;
  const std::uint32_t from = cluster_named(specs, spec.from_cluster), to = cluster_named(specs, spec.to_cluster);
  wan.forward = direction(from, to);
  wan.backward = direction(to, from);
  if (has_limiter(spec.limiter_factor))
    wan.limiter = add_trunk({.name = prefix + "limiter",
                             .bandwidth = {spec.bandwidth_bytes_per_s * spec.limiter_factor},
                             .latency = {},
                             .kind = LinkKind::WanLimiter});
  wans.push_back(wan);
}

void Layout::number_links() {
  std::uint64_t count = trunks.size();
  for (Cluster& cluster : clusters) {
    cluster.first_fabric_link = static_cast<LinkId>(count);
    if (cluster.fabric) count += std::uint64_t{cluster.planes} * cluster.fabric->link_count();
  }
  for (Cluster& cluster : clusters) {
    cluster.first_link = static_cast<LinkId>(count);
    count += std::uint64_t{cluster.nodes} * cluster.links_per_node();
  }
  check_links("the platform", count);
  link_count = static_cast<LinkId>(count);
}

/// The place of a first socket has the number of its host, so only further sockets are numbered.
void Layout::number_places() {
  constexpr std::uint64_t most_places = std::uint64_t{1} << 23;
  std::uint64_t count = hosts.size();
  for (Cluster& cluster : clusters) {
    cluster.first_place = static_cast<HostId>(count);
    count += std::uint64_t{cluster.nodes} * (cluster.sockets - 1);
    if (count > most_places)
      throw InputError(concat("the platform has more than ", most_places, " sockets; expected fewer"));
  }
  place_count = static_cast<HostId>(count);
}

Link Layout::describe(LinkId id) const {
  if (id < trunks.size()) return trunks[id];
  std::size_t cluster = clusters.size() - 1;
  if (id >= clusters.front().first_link) {
    while (id < clusters[cluster].first_link) --cluster;
    return describe_node_link(cluster, id);
  }
  while (id < clusters[cluster].first_fabric_link) --cluster;
  return describe_fabric_link(cluster, id);
}

Link Layout::describe_fabric_link(std::size_t cluster, LinkId id) const {
  const Cluster& c = clusters[cluster];
  const std::uint32_t plane = (id - c.first_fabric_link) / c.fabric->link_count();
  const std::uint32_t link = (id - c.first_fabric_link) % c.fabric->link_count();
  const auto [bandwidth, latency, shared] = c.fabric_cost(link);
  const Fabric::Ends ends = c.fabric->ends(link);
  const auto vertex = [&](std::uint32_t at) {
    return at == Fabric::nowhere ? std::nullopt : std::optional(c.first_switch_of(plane) + at);
  };
  return {specs[cluster].name + plane_name(c, plane) + "/" + c.fabric->link_name(link),
          bandwidth,
          latency,
          shared,
          LinkKind::Fabric,
          vertex(ends.from),
          vertex(ends.to)};
}

Link Layout::describe_node_link(std::size_t cluster, LinkId id) const {
  const Cluster& c = clusters[cluster];
  const settings::Cluster& spec = specs[cluster];
  const LinkId offset = (id - c.first_link) % c.links_per_node();
  const HostId host = c.first_host + (id - c.first_link) / c.links_per_node();
  const std::string& name = hosts[host].name;
  if (offset < c.memory_links) {
    const auto inside = [&](const std::string& which, double bytes_per_s, double latency_s, LinkKind kind) {
      return Link{name + which, {bytes_per_s}, {latency_s}, true, kind, host, host};
    };
    if (offset > 0 && offset + 1 == c.memory_links)
      return inside("/sockets", spec.socket_bandwidth_bytes_per_s, spec.socket_latency_s, LinkKind::Sockets);
    const std::string socket = c.memory_links > 1 ? std::to_string(offset + 1) : "";
    return inside("/memory" + socket, spec.memory_bandwidth_bytes_per_s, spec.memory_latency_s, LinkKind::Memory);
  }
  const LinkId in_rails = offset - c.memory_links;
  const std::uint32_t rail = in_rails / c.links_per_rail;
  const std::string number = c.rails > 1 ? std::to_string(rail + 1) : "";
  const VertexId end = c.fabric ? c.first_switch_of(rail) + c.fabric->switch_of(host - c.first_host)
                                : cabinets[cabinet_of_host[host]].joined_by;
  const bool shared = spec.node_links == settings::NodeLinks::Shared;
  const Duration latency{spec.latency_s};
  switch (static_cast<RailLink>(in_rails % c.links_per_rail)) {
    case up_link: return {name + "/up" + number, c.rail_bandwidth, latency, shared, LinkKind::NodeUp, host, end};
    case down_link: return {name + "/down" + number, c.rail_bandwidth, latency, shared, LinkKind::NodeDown, end, host};
    case limiter_link: break;
  }
  return {.name = name + "/limiter" + number,
          .bandwidth = c.rail_bandwidth * spec.limiter_factor,
          .latency = {},
          .shared = shared,
          .kind = LinkKind::NodeLimiter};
}

std::string Layout::name_of_switch(std::uint32_t number) const {
  const VertexId vertex = static_cast<VertexId>(hosts.size()) + number;
  std::size_t cluster = clusters.size() - 1;
  while (vertex < clusters[cluster].first_switch) --cluster;
  const Cluster& c = clusters[cluster];
  const std::string& name = specs[cluster].name;
  if (c.fabric) {
    const std::uint32_t of_fabric = vertex - c.first_switch, switches = c.fabric->switch_count();
    return name + plane_name(c, of_fabric / switches) + "/" + c.fabric->switch_name(of_fabric % switches);
  }
  if (vertex == c.first_switch) return name;
  for (const Cabinet& cabinet : cabinets)
    if (cabinet.joined_by == vertex) {
      const std::string& up = trunks[cabinet.up].name;
      return up.substr(0, up.rfind('/'));
    }
  return name;
}

}  // namespace orrery::platform
