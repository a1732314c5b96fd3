// SPDX-License-Identifier: BSD-3-Clause
#include "platform/platform.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using namespace platform;

static void bind_choices(nb::module_& m) {
  nb::enum_<RailUse>(m, "RailUse").value("BY_PAIR", RailUse::ByPair).value("STRIPED", RailUse::Striped);
  nb::enum_<FatTreeRouting>(m, "FatTreeRouting")
      .value("D_MOD_K", FatTreeRouting::DModK)
      .value("S_MOD_K", FatTreeRouting::SModK)
      .value("RANDOM", FatTreeRouting::Random);
  nb::enum_<TorusRouting>(m, "TorusRouting")
      .value("DIMENSION_ORDER", TorusRouting::DimensionOrder)
      .value("RANDOM_ORDER", TorusRouting::RandomOrder);
  nb::enum_<DragonflyRouting>(m, "DragonflyRouting")
      .value("MINIMAL", DragonflyRouting::Minimal)
      .value("VALIANT", DragonflyRouting::Valiant);
  nb::enum_<GraphRouting>(m, "GraphRouting")
      .value("FEWEST_EDGES", GraphRouting::FewestEdges)
      .value("FEWEST_LINKS", GraphRouting::FewestLinks)
      .value("LEAST_LATENCY", GraphRouting::LeastLatency);
}

static void bind_fat_tree(nb::module_& m) {
  nb::class_<FatTreeLevel>(m, "FatTreeLevel", "Switches of one level above the leaves.")
      .def(
          "__init__",
          [](FatTreeLevel* self, std::uint32_t down, std::uint32_t up, std::uint32_t parallel, double bandwidth,
             double latency) {
            new (self) FatTreeLevel{down, up, parallel, {bandwidth}, {latency}};
          },
          nb::kw_only(), "down"_a, "up"_a = 1, "parallel"_a = 1, "bandwidth_bytes_per_s"_a, "latency_s"_a);
  nb::class_<FatTreeSpec>(m, "FatTree")
      .def(
          "__init__",
          [](FatTreeSpec* self, std::uint32_t nodes_per_leaf, std::vector<FatTreeLevel> levels, FatTreeRouting routing,
             std::uint64_t seed) {
            new (self) FatTreeSpec{nodes_per_leaf, std::move(levels), routing, seed};
          },
          nb::kw_only(), "nodes_per_leaf"_a, "levels"_a, "routing"_a = FatTreeRouting::DModK, "seed"_a = 0);
}

static void bind_torus(nb::module_& m) {
  nb::class_<TorusSpec>(m, "Torus")
      .def(
          "__init__",
          [](TorusSpec* self, const std::vector<std::uint32_t>& sizes, const std::vector<bool>& wraps,
             std::uint32_t nodes_per_router, double bandwidth, double latency, TorusRouting routing,
             std::uint64_t seed) {
            if (wraps.size() != sizes.size()) throw nb::value_error("as many values of wraps as of sizes");
            new (self) TorusSpec{.dimensions = {},
                                 .nodes_per_router = nodes_per_router,
                                 .bandwidth = {bandwidth},
                                 .latency = {latency},
                                 .routing = routing,
                                 .seed = seed};
            for (std::size_t i = 0; i < sizes.size(); ++i) self->dimensions.push_back({sizes[i], wraps[i]});
          },
          nb::kw_only(), "sizes"_a, "wraps"_a, "nodes_per_router"_a = 1, "bandwidth_bytes_per_s"_a, "latency_s"_a,
          "routing"_a = TorusRouting::DimensionOrder, "seed"_a = 0, "`wraps`: for each dimension.");
}

static void bind_dragonfly(nb::module_& m) {
  using Cable = DragonflySpec::Cable;
  nb::class_<Cable>(m, "DragonflyCable")
      .def(
          "__init__",
          [](Cable* self, double bandwidth, double latency) {
            new (self) Cable{{bandwidth}, {latency}};
          },
          nb::kw_only(), "bandwidth_bytes_per_s"_a, "latency_s"_a);
  nb::class_<DragonflySpec>(m, "Dragonfly")
      .def(
          "__init__",
          [](DragonflySpec* self, std::uint32_t groups, std::uint32_t chassis, std::uint32_t routers,
             std::uint32_t nodes, std::uint32_t cables, std::optional<Cable> within_chassis,
             std::optional<Cable> between_chassis, std::optional<Cable> between_groups, DragonflyRouting routing,
             std::uint64_t seed) {
            new (self) DragonflySpec{groups,
                                     chassis,
                                     routers,
                                     nodes,
                                     cables,
                                     within_chassis.value_or(Cable{}),
                                     between_chassis.value_or(Cable{}),
                                     between_groups.value_or(Cable{}),
                                     routing,
                                     seed};
          },
          nb::kw_only(), "groups"_a, "chassis_per_group"_a = 1, "routers_per_chassis"_a, "nodes_per_router"_a,
          "cables_between_groups"_a = 1, "within_chassis"_a = nb::none(), "between_chassis"_a = nb::none(),
          "between_groups"_a = nb::none(), "routing"_a = DragonflyRouting::Minimal, "seed"_a = 0);
}

static void bind_graph(nb::module_& m) {
  nb::class_<GraphSpec::Vertex>(m, "GraphVertex")
      .def(
          "__init__",
          [](GraphSpec::Vertex* self, std::string name, bool node, std::uint32_t cores, double speed) {
            new (self) GraphSpec::Vertex{std::move(name), node, cores, speed};
          },
          "name"_a, nb::kw_only(), "node"_a = true, "cores"_a = 1, "speed"_a = 1.0, "`node` false: a switch.");
  nb::class_<GraphSpec::Link>(m, "GraphLink")
      .def(
          "__init__",
          [](GraphSpec::Link* self, std::string name, double bandwidth, double latency, bool shared) {
            new (self) GraphSpec::Link{std::move(name), {bandwidth}, {latency}, shared};
          },
          "name"_a, nb::kw_only(), "bandwidth_bytes_per_s"_a, "latency_s"_a, "shared"_a = true);
  nb::class_<GraphSpec::Edge>(m, "GraphEdge", "One direction, from vertex to vertex, over links; all by position.")
      .def(
          "__init__",
          [](GraphSpec::Edge* self, std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t> links) {
            new (self) GraphSpec::Edge{from, to, std::move(links)};
          },
          "source"_a, "target"_a, "links"_a);
  nb::class_<GraphSpec>(m, "Graph")
      .def(
          "__init__",
          [](GraphSpec* self, std::vector<GraphSpec::Vertex> vertices, std::vector<GraphSpec::Link> links,
             std::vector<GraphSpec::Edge> edges, std::vector<GraphSpec::Edge> routes,
             std::optional<std::uint32_t> gateway, bool nodes_forward, GraphRouting routing) {
            new (self) GraphSpec{std::move(vertices), std::move(links), std::move(edges), std::move(routes), gateway,
                                 nodes_forward,       routing};
          },
          nb::kw_only(), "vertices"_a, "links"_a, "edges"_a, "routes"_a = std::vector<GraphSpec::Edge>{},
          "gateway"_a = nb::none(), "nodes_forward"_a = true, "routing"_a = GraphRouting::FewestEdges,
          "`routes`: edges of single pairs, not part of other routes.");
}

void bind_topologies(nb::module_& m) {
  bind_choices(m);
  bind_fat_tree(m);
  bind_torus(m);
  bind_dragonfly(m);
  bind_graph(m);
}

}  // namespace orrery::python
