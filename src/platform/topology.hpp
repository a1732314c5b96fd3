// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.hpp"

/// Topologies that join the nodes of a cluster, other than one switch or cabinets.
///
/// Each is a few numbers, from which links and routes are computed; only a graph has tables. All cables have two
/// directions of `bandwidth` each. A random choice is made once for each pair of nodes, by the seed.
namespace orrery::platform {

enum class FatTreeRouting : std::uint8_t {
  DModK,   ///< the number of the target chooses the way up, so that each link down serves few targets
  SModK,   ///< the number of the source chooses the way up
  Random,  ///< a random way up for each pair of nodes
};

/// Switches of one level above the leaves, and the cables down from them.
struct FatTreeLevel {
  std::uint32_t down = 0;      ///< switches of the level below to which each switch of this level is joined
  std::uint32_t up = 1;        ///< switches of this level to which each switch of the level below is joined
  std::uint32_t parallel = 1;  ///< cables between two switches that are joined
  Bandwidth bandwidth{};
  Duration latency{};
};

/// A parallel-ports generalised fat-tree: nodes_per_leaf × Π down places for nodes, filled from the first.
/// Source: Zahavi 2010, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees".
struct FatTreeSpec {
  std::uint32_t nodes_per_leaf = 0;
  std::vector<FatTreeLevel> levels;  ///< from the one above the leaves to the roots
  FatTreeRouting routing = FatTreeRouting::DModK;
  std::uint64_t seed = 0;
};

enum class TorusRouting : std::uint8_t {
  DimensionOrder,  ///< all steps of the first dimension, then of the second, ...
  RandomOrder,     ///< the dimensions in a random order for each pair of nodes
};

/// A router for each point of a grid, joined to its neighbours. In a dimension that wraps, the first and the last are
/// neighbours too, unless there are only two. Routers count along the first dimension first.
struct TorusSpec {
  struct Dimension {
    std::uint32_t size = 0;
    bool wraps = true;
  };
  std::vector<Dimension> dimensions;
  std::uint32_t nodes_per_router = 1;
  Bandwidth bandwidth{};
  Duration latency{};
  TorusRouting routing = TorusRouting::DimensionOrder;
  std::uint64_t seed = 0;
};

enum class DragonflyRouting : std::uint8_t {
  Minimal,  ///< over one cable between groups
  Valiant,  ///< through a third group, random for each pair of nodes
};

/// Groups of routers. Within a group, all routers of one chassis are joined to each other, and so are those at the same
/// position of all chassis. Any two groups are joined by `cables_between_groups` cables, dealt to the routers of a
/// group in turn.
/// Source: Kim, Dally, Scott, Abts 2008, doi:10.1109/ISCA.2008.19 (one chassis); Faanes et al. 2012, "Cray Cascade".
struct DragonflySpec {
  struct Cable {
    Bandwidth bandwidth{};
    Duration latency{};
  };
  std::uint32_t groups = 0;
  std::uint32_t chassis_per_group = 1;
  std::uint32_t routers_per_chassis = 0;
  std::uint32_t nodes_per_router = 0;
  std::uint32_t cables_between_groups = 1;
  Cable within_chassis, between_chassis, between_groups;
  DragonflyRouting routing = DragonflyRouting::Minimal;
  std::uint64_t seed = 0;
};

enum class GraphRouting : std::uint8_t {
  FewestEdges,
  FewestLinks,
  LeastLatency,
};

/// Any other topology: nodes and switches, and edges that cross links; two edges may share a link.
///
/// A route minimises the sum over its edges of what `routing` names; of equal routes, it takes the edges given first.
/// It passes through nodes only if `nodes_forward`. A pair in `routes` takes its own route. State: a table of (vertices
/// with several neighbours)².
struct GraphSpec {
  struct Vertex {
    std::string name;
    bool node = true;  ///< otherwise a switch
    std::uint32_t cores = 1;
    double speed = 1;
  };
  struct Link {
    std::string name;
    Bandwidth bandwidth{};
    Duration latency{};
    bool shared = true;
  };
  /// One direction, from vertex to vertex.
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::vector<std::uint32_t> links;  ///< positions in `links`
  };
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<Edge> edges;
  std::vector<Edge> routes;                   ///< of single pairs of vertices; not part of other routes
  std::optional<std::uint32_t> gateway = {};  ///< vertex at which wide-area links begin
  bool nodes_forward = true;
  GraphRouting routing = GraphRouting::FewestEdges;
};

/// std::monostate: the nodes are joined by one switch, or by cabinets.
using FabricSpec = std::variant<std::monostate, FatTreeSpec, TorusSpec, DragonflySpec, GraphSpec>;

}  // namespace orrery::platform
