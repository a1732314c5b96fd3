// SPDX-License-Identifier: BSD-3-Clause
#include "platform/platform.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bind.hpp"
#include "python/settings.hpp"
#include "settings/read.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace platform;

static void bind_connections(nb::module_& m) {
  nb::enum_<Technique>(m, "Technique", "How a connection between clusters is made.")
      .value("DIRECT", Technique::Direct, "To a node that accepts it.")
      .value("REVERSE", Technique::Reverse, "The other way round.")
      .value("TRAVERSING", Technique::Traversing, "Both nodes connect at the same time.")
      .value("RELAY", Technique::Relay, "Both nodes connect to a frontal, which passes everything on.");
  nb::class_<Connection>(m, "Connection", "What it takes to make a connection between clusters.")
      .def_ro("technique", &Connection::technique)
      .def_prop_ro(
          "asks_s", [](const Connection& c) { return c.asks.s; }, "Until the question is at the broker.")
      .def_prop_ro(
          "then_s", [](const Connection& c) { return c.then.s; }, "From its answer until the sender can send.")
      .def_ro("relay", &Connection::relay, "Index of the cluster whose frontal relays; None: none does.");
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
  bind_connections(m);
  bind_parts(m);
  nb::class_<Platform>(m, "Platform", "The simulated hardware. Immutable.")
      .def(
          "__init__",
          [](Platform* self, const nb::typed<nb::dict, nb::str, nb::object>& values) {
            std::vector<settings::Cluster> clusters;
            std::vector<settings::Wan> wan;
            std::optional<settings::Broker> broker;
            read_value(values["clusters"], clusters);
            read_value(values["wan"], wan);
            read_value(values["broker"], broker);
            new (self) Platform(nb::cast<std::string>(values["name"]), std::move(clusters), std::move(wan), broker);
          },
          "values"_a, "From the values of a platform file: name, clusters, wide-area links, broker.")
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
