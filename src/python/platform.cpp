// SPDX-License-Identifier: BSD-3-Clause
#include "platform/platform.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "python/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace platform;

static void bind_connections(nb::module_& m) {
  nb::enum_<Connectivity>(m, "Connectivity", "Which connections from outside the nodes of a cluster accept.")
      .value("OPEN", Connectivity::Open, "All.")
      .value("PORTS", Connectivity::Ports, "Those to a range of ports.")
      .value("NAT", Connectivity::Nat, "None: their addresses are translated.")
      .value("OUTBOUND", Connectivity::Outbound, "None: a firewall lets only connections out.");
  nb::enum_<Technique>(m, "Technique", "How a connection between clusters is made.")
      .value("DIRECT", Technique::Direct, "To a node that accepts it.")
      .value("REVERSE", Technique::Reverse, "The other way round.")
      .value("TRAVERSING", Technique::Traversing, "Both nodes connect at the same time.")
      .value("RELAY", Technique::Relay, "Both nodes connect to a frontal, which passes everything on.");
  nb::class_<FrontalSpec>(m, "Frontal", "The front-end machine of a cluster, which relays messages.")
      .def(
          "__init__",
          [](FrontalSpec* self, double relay, double bandwidth, double latency, double handling, std::int64_t buffer) {
            new (self) FrontalSpec{{relay}, {bandwidth}, {latency}, {handling}, buffer};
          },
          nb::kw_only(), "relay_bytes_per_s"_a, "bandwidth_bytes_per_s"_a, "latency_s"_a = 0.0, "handling_s"_a = 0.0,
          "buffer_bytes"_a = 0, "Buffer 0: it stores whole messages before it sends them on.");
  nb::class_<BrokerSpec>(m, "Broker", "What makes connections between clusters.")
      .def(
          "__init__",
          [](BrokerSpec* self, std::uint32_t cluster, double latency, double answer, bool keeps_connections) {
            new (self) BrokerSpec{cluster, {latency}, {answer}, keeps_connections};
          },
          nb::kw_only(), "cluster"_a, "latency_s"_a = 0.0, "answer_s"_a = 0.0, "keeps_connections"_a = true,
          "At the gateway of a cluster, given by index.");
  nb::class_<Connection>(m, "Connection", "What it takes to make a connection between clusters.")
      .def_ro("technique", &Connection::technique)
      .def_prop_ro(
          "asks_s", [](const Connection& c) { return c.asks.s; }, "Until the question is at the broker.")
      .def_prop_ro(
          "then_s", [](const Connection& c) { return c.then.s; }, "From its answer until the sender can send.")
      .def_ro("relay", &Connection::relay, "Index of the cluster whose frontal relays; None: none does.");
}

static void bind_specs(nb::module_& m) {
  nb::class_<CabinetSpec>(m, "Cabinet", "Nodes behind one switch.")
      .def(
          "__init__",
          [](CabinetSpec* self, std::string name, std::uint32_t nodes, double uplink, double limiter, double latency) {
            new (self) CabinetSpec{std::move(name), nodes, {uplink}, {limiter}, {latency}};
          },
          nb::kw_only(), "name"_a = "", "nodes"_a, "uplink_bytes_per_s"_a = 0.0, "limiter_bytes_per_s"_a = 0.0,
          "latency_s"_a = 0.0, "Uplink 0: its nodes hang off the backbone directly. Limiter 0: none.")
      .def_ro("name", &CabinetSpec::name)
      .def_ro("nodes", &CabinetSpec::nodes);

  nb::class_<VirtualMachines>(m, "VirtualMachines", "That nodes are virtual machines, and cabinets their hosts.")
      .def(
          "__init__",
          [](VirtualMachines* self, std::uint32_t per_host, std::uint32_t cores, std::uint32_t others) {
            new (self) VirtualMachines{per_host, cores, others};
          },
          nb::kw_only(), "per_host"_a = 1, "cores"_a = 0, "others"_a = 0,
          "Cores of a host, 0: as many as its nodes have together. Others: virtual processors of others on each host.");

  bind_connections(m);

  nb::class_<ClusterSpec>(m, "Cluster", "Cabinets of equal nodes.")
      .def(
          "__init__",
          [](ClusterSpec* self, std::string name, std::string prefix, std::string suffix, std::uint32_t first,
             std::string site, std::uint32_t cores, std::uint32_t sockets, double speed, double bandwidth,
             double latency, double limiter_factor, double memory_bandwidth, double memory_latency,
             double socket_bandwidth, double socket_latency, double backbone, double backbone_latency,
             std::vector<CabinetSpec> cabinets, std::string gateway_note, std::uint32_t rails, RailUse rail_use,
             bool rail_planes, bool shared_node_links, FabricSpec fabric,
             std::optional<VirtualMachines> virtual_machines, Connectivity connectivity, bool traversable,
             std::optional<FrontalSpec> frontal) {
            new (self) ClusterSpec{.name = std::move(name),
                                   .prefix = std::move(prefix),
                                   .suffix = std::move(suffix),
                                   .first = first,
                                   .site = std::move(site),
                                   .cores = cores,
                                   .sockets = sockets,
                                   .speed = speed,
                                   .bandwidth = {bandwidth},
                                   .latency = {latency},
                                   .limiter_factor = limiter_factor,
                                   .memory_bandwidth = {memory_bandwidth},
                                   .memory_latency = {memory_latency},
                                   .socket_bandwidth = {socket_bandwidth},
                                   .socket_latency = {socket_latency},
                                   .backbone = {backbone},
                                   .backbone_latency = {backbone_latency},
                                   .cabinets = std::move(cabinets),
                                   .gateway_note = std::move(gateway_note),
                                   .rails = rails,
                                   .rail_use = rail_use,
                                   .rail_planes = rail_planes,
                                   .shared_node_links = shared_node_links,
                                   .fabric = std::move(fabric),
                                   .virtual_machines = virtual_machines,
                                   .connectivity = connectivity,
                                   .traversable = traversable,
                                   .frontal = frontal};
          },
          nb::kw_only(), "name"_a, "prefix"_a, "suffix"_a = "", "first"_a = 1, "site"_a = "", "cores"_a = 1,
          "sockets"_a = 1, "speed"_a = 1.0, "bandwidth_bytes_per_s"_a, "latency_s"_a, "limiter_factor"_a = 2.0,
          "memory_bandwidth_bytes_per_s"_a, "memory_latency_s"_a, "socket_bandwidth_bytes_per_s"_a = 0.0,
          "socket_latency_s"_a = 0.0, "backbone_bytes_per_s"_a = 0.0, "backbone_latency_s"_a = 0.0, "cabinets"_a,
          "gateway_note"_a = "", "rails"_a = 1, "rail_use"_a = RailUse::ByPair, "rail_planes"_a = false,
          "shared_node_links"_a = true, "fabric"_a.none() = nb::none(), "virtual_machines"_a = nb::none(),
          "connectivity"_a = Connectivity::Open, "traversable"_a = false, "frontal"_a = nb::none(),
          "Host names are prefix, number, suffix. Backbone 0: the switch is never a bottleneck. Fabric: what\n"
          "joins the nodes of the one cabinet; None: a switch.")
      .def_ro("name", &ClusterSpec::name)
      .def_ro("cabinets", &ClusterSpec::cabinets);

  nb::class_<WanSpec>(m, "WideAreaLink", "Joins two clusters, given by index.")
      .def(
          "__init__",
          [](WanSpec* self, std::uint32_t from, std::uint32_t to, double bandwidth, double latency,
             double limiter_factor) {
            new (self) WanSpec{from, to, {bandwidth}, {latency}, limiter_factor};
          },
          nb::kw_only(), "source"_a, "target"_a, "bandwidth_bytes_per_s"_a, "latency_s"_a, "limiter_factor"_a = 2.0);
}

static void bind_parts(nb::module_& m) {
  nb::class_<Host>(m, "Host")
      .def_ro("name", &Host::name)
      .def_ro("cores", &Host::cores)
      .def_ro("sockets", &Host::sockets)
      .def_ro("speed", &Host::speed, "Relative to the host that runs the simulation.");

  nb::enum_<LinkKind>(m, "LinkKind", "Position of a link in the cluster.")
      .value("NODE_UP", LinkKind::NodeUp, "From a node to its switch.")
      .value("NODE_DOWN", LinkKind::NodeDown, "From the switch to a node.")
      .value("NODE_LIMITER", LinkKind::NodeLimiter, "All flows from and to a node.")
      .value("MEMORY", LinkKind::Memory, "Between ranks of one node, or of one socket of it.")
      .value("SOCKETS", LinkKind::Sockets, "Between the sockets of a node.")
      .value("CABINET_UP", LinkKind::CabinetUp, "From a cabinet's switch to the cluster's backbone.")
      .value("CABINET_DOWN", LinkKind::CabinetDown, "From the backbone to the switch of a cabinet.")
      .value("CABINET_LIMITER", LinkKind::CabinetLimiter, "All flows from and to a cabinet.")
      .value("BACKBONE", LinkKind::Backbone, "A cluster's core switch.")
      .value("FABRIC", LinkKind::Fabric, "Between switches of a fat-tree, torus or dragonfly; any link of a graph.")
      .value("WAN", LinkKind::Wan, "Between two clusters, one direction.")
      .value("WAN_LIMITER", LinkKind::WanLimiter, "Between two clusters, both directions together.")
      .value("FRONTAL_IN", LinkKind::FrontalIn, "From the gateway of a cluster to its frontal.")
      .value("FRONTAL_OUT", LinkKind::FrontalOut, "From the frontal to the gateway.")
      .value("RELAY", LinkKind::Relay, "All that a frontal relays.");

  nb::class_<Link>(m, "Link")
      .def_ro("name", &Link::name)
      .def_prop_ro("bandwidth_bytes_per_s", [](const Link& link) { return link.bandwidth.bytes_per_s; })
      .def_prop_ro("latency_s", [](const Link& link) { return link.latency.s; })
      .def_ro("shared", &Link::shared, "False: every flow may use the whole bandwidth.")
      .def_ro("kind", &Link::kind)
      .def_ro("source", &Link::from, "Number of the host or switch where it begins; None for limiters, and in graphs.")
      .def_ro("target", &Link::to);

  nb::class_<Route>(m, "Route", "Ordered links between two hosts.")
      .def_ro("links", &Route::links, "Positions in `Platform.links`.")
      .def_prop_ro("latency_s", [](const Route& route) { return route.latency.s; })
      .def_prop_ro("bandwidth_bytes_per_s", [](const Route& route) { return route.bandwidth.bytes_per_s; });
}

void bind_platform(nb::module_& m) {
  bind_topologies(m);
  bind_specs(m);
  bind_parts(m);
  nb::class_<Platform>(m, "Platform", "The simulated hardware. Immutable.")
      .def(nb::init<std::string, std::vector<ClusterSpec>, std::vector<WanSpec>, std::optional<BrokerSpec>>(), "name"_a,
           "clusters"_a, "wide_area_links"_a = std::vector<WanSpec>{}, "broker"_a = nb::none())
      .def_prop_ro("name", &Platform::name)
      .def_prop_ro("hosts", &Platform::hosts)
      .def_prop_ro("links", &Platform::links)
      .def(
          "link",
          [](const Platform& self, LinkId link) {
            if (link >= self.link_count()) throw nb::index_error("no such link");
            return self.link(link);
          },
          "number"_a, "By its position in `links`, without the others.")
      .def(
          "route",
          [](const Platform& self, HostId source, HostId target) {
            const HostId places = self.place_count();
            if (source >= places || target >= places) throw nb::index_error("no such host");
            Route route;
            self.route(source, target, route);
            return route;
          },
          "source"_a, "target"_a, "Between two positions in `hosts`, or places; of a host to itself its memory link.")
      .def(
          "place",
          [](const Platform& self, HostId host, std::uint32_t socket) {
            if (host >= self.hosts().size() || socket >= self.hosts()[host].sockets)
              throw nb::index_error("no such socket");
            return self.place(host, socket);
          },
          "host"_a, "socket"_a, "A number that stands for a socket of a host wherever ranks are placed.")
      .def(
          "connection",
          [](const Platform& self, HostId source, HostId target) {
            const std::size_t hosts = self.hosts().size();
            if (source >= hosts || target >= hosts) throw nb::index_error("no such host");
            return self.connection(source, target);
          },
          "source"_a, "target"_a, "How the first message makes it; None: in one cluster, or without a broker.")
      .def("cluster_of", &Platform::cluster_of, "host"_a)
      .def("cabinet_of", &Platform::cabinet_of, "host"_a)
      .def_prop_ro("link_count", &Platform::link_count)
      .def_prop_ro("cabinet_count", &Platform::cabinet_count, "Leaves of fat-trees and groups of dragonflies included.")
      .def_prop_ro("longest_route", &Platform::longest_route, "In links; no route has more.")
      .def_prop_ro("switch_count", &Platform::switch_count)
      .def(
          "vertex_name",
          [](const Platform& self, VertexId vertex) {
            if (vertex >= self.hosts().size() + self.switch_count()) throw nb::index_error("no such host or switch");
            return self.vertex_name(vertex);
          },
          "vertex"_a, "Name of a host, or of a switch: these are numbered after the hosts.");
}

}  // namespace orrery::python
