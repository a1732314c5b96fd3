// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "platform/fabric/require.hpp"

namespace orrery::platform {
namespace {

/// Largest number of inner vertices: their table of 4096² edges takes 64 MiB.
constexpr std::size_t most_inner = 4096;

/// Positions by name.
class Positions {
 public:
  /// @param where begins error messages   @param what things are called
  Positions(const std::string& where, const char* what) : where_(where), what_(what) {}
  /// The next position.
  void add(const std::string& name) {
    if (!of_names_.emplace(name, static_cast<std::uint32_t>(of_names_.size())).second)
      throw InputError(concat(where_, ": two ", what_, " are called \"", name, "\"; give each its own name"));
  }
  [[nodiscard]] std::uint32_t of(const std::string& name) const {
    const auto found = of_names_.find(name);
    if (found == of_names_.end())
      throw InputError(concat(where_, ": none of its ", what_, " is called \"", name, "\""));
    return found->second;
  }

 private:
  const std::string& where_;
  const char* what_;
  std::unordered_map<std::string, std::uint32_t> of_names_;
};

/// The other direction of a duplex link; of another one itself.
std::string back(const std::string& link) {
  const std::size_t colon = link.rfind(':');
  const std::string direction = colon == std::string::npos ? "" : link.substr(colon);
  if (direction == ":up") return link.substr(0, colon) + ":down";
  return direction == ":down" ? link.substr(0, colon) + ":up" : link;
}

}  // namespace

Graph::Graph(const settings::Graph& spec, const std::string& where, std::optional<std::uint32_t> nodes)
    : nodes_(static_cast<std::uint32_t>(spec.nodes.size())),
      routing_(spec.routing),
      nodes_forward_(spec.nodes_forward) {
  if (nodes.value_or(nodes_) != nodes_) throw InputError(concat(where, ": has ", nodes_, " nodes, not ", *nodes));
  for (const settings::GraphNode& node : spec.nodes) vertices_.push_back(node.name);
  vertices_.insert(vertices_.end(), spec.switches.begin(), spec.switches.end());
  for (const settings::GraphLink& link : spec.links) add_links(link);
  number(spec, where);
  find_leaves();
  number_inner();
  fill_table(where);
}

void Graph::add_links(const settings::GraphLink& link) {
  const LinkCost cost{{link.bandwidth_bytes_per_s}, {link.latency_s}, link.sharing != settings::Sharing::Unshared};
  if (link.sharing != settings::Sharing::Duplex) return links_.push_back({link.name, cost});
  links_.push_back({link.name + ":up", cost});
  links_.push_back({link.name + ":down", cost});
}

/// Edges and routes, by the positions of what their names mean. Links that are edges by themselves come first.
void Graph::number(const settings::Graph& spec, const std::string& where) {
  Positions vertices(where, "vertices"), links(where, "links");
  for (const std::string& name : vertices_) vertices.add(name);
  for (const Link& link : links_) links.add(link.name);
  if (!spec.gateway.empty()) gateway_ = vertices.of(spec.gateway);
  const auto both_ways = [&](const settings::GraphEdge& edge, const auto& add) {
    if (edge.between.size() != 2 || edge.between[0] == edge.between[1])
      throw InputError(concat(where, ": an edge joins two vertices"));
    const Vertex here = vertices.of(edge.between[0]), there = vertices.of(edge.between[1]);
    Links forward, backward;
    for (const std::string& link : edge.links) forward.push_back(links.of(link));
    add({here, there, std::move(forward)});
    if (edge.one_way) return;
    for (auto link = edge.links.rbegin(); link != edge.links.rend(); ++link) backward.push_back(links.of(back(*link)));
    add({there, here, std::move(backward)});
  };
  const auto add_edge = [&](Edge edge) { edges_.push_back(std::move(edge)); };
  const auto add_route = [&](Edge edge) {
    longest_ = std::max(longest_, static_cast<std::uint32_t>(edge.links.size()));
    routes_.insert_or_assign({edge.from, edge.to}, std::move(edge.links));
  };
  for (const settings::GraphLink& link : spec.links) {
    const bool duplex = link.sharing == settings::Sharing::Duplex;
    if (link.between) both_ways({*link.between, {link.name + (duplex ? ":up" : "")}}, add_edge);
  }
  for (const settings::GraphEdge& edge : spec.edges) both_ways(edge, add_edge);
  for (const settings::GraphEdge& route : spec.routes) both_ways(route, add_route);
}

/// A leaf has one edge out and one edge in, to and from the same vertex, which has other neighbours.
void Graph::find_leaves() {
  const Vertex count = vertex_count();
  std::vector<std::vector<std::uint32_t>> out_of(count);
  edges_into_.assign(count, {});
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    out_of[edges_[i].from].push_back(i);
    edges_into_[edges_[i].to].push_back(i);
  }
  out_of_leaf_.assign(count, nowhere);
  into_leaf_.assign(count, nowhere);
  for (Vertex v = 0; v < count; ++v) {
    if (out_of[v].size() != 1 || edges_into_[v].size() != 1) continue;
    const Vertex neighbour = edges_[out_of[v][0]].to;
    if (edges_[edges_into_[v][0]].from != neighbour || out_of[neighbour].size() < 2 || !passable(neighbour)) continue;
    out_of_leaf_[v] = out_of[v][0];
    into_leaf_[v] = edges_into_[v][0];
  }
}

void Graph::number_inner() {
  inner_.assign(vertex_count(), nowhere);
  for (Vertex v = 0; v < vertex_count(); ++v) {
    if (out_of_leaf_[v] != nowhere) continue;
    inner_[v] = static_cast<std::uint32_t>(inner_vertices_.size());
    inner_vertices_.push_back(v);
  }
}

double Graph::length(const Edge& edge) const {
  switch (routing_) {
    case settings::GraphRouting::FewestEdges: return 1;
    case settings::GraphRouting::FewestLinks: return static_cast<double>(edge.links.size());
    case settings::GraphRouting::LeastLatency: break;
  }
  double latency_s = 0;
  for (const std::uint32_t link : edge.links) latency_s += links_[link].cost.latency.s;
  return latency_s;
}

void Graph::fill_table(const std::string& where) {
  const std::size_t n = inner_vertices_.size();
  if (n > most_inner)
    throw InputError(concat(where, ": ", n, " vertices have several neighbours, at most ", most_inner,
                            " are possible; describe it as a fat-tree, torus or dragonfly, or in several clusters"));
  table_.assign(n * n, nowhere);
  for (const Vertex target : inner_vertices_) fill_column(target);
  check_reach(where);
}

/// Dijkstra's algorithm from the target backwards; among equally long routes that of fewest links, then the edges given
/// first.
void Graph::fill_column(Vertex target) {
  struct Reached {
    double length = std::numeric_limits<double>::infinity();
    std::uint32_t links = 0;
    std::uint32_t edge = nowhere;
    bool done = false;
  };
  std::vector<Reached> reached(vertex_count());
  const auto key = [&](Vertex v) { return std::tuple(reached[v].length, reached[v].links, reached[v].edge); };
  using Entry = std::tuple<double, std::uint32_t, Vertex>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  reached[target].length = 0;
  queue.emplace(0, 0, target);
  std::uint32_t longest_leaf = 0;
  for (Vertex v = 0; v < vertex_count(); ++v)
    if (out_of_leaf_[v] != nowhere)
      longest_leaf = std::max({longest_leaf, static_cast<std::uint32_t>(edges_[out_of_leaf_[v]].links.size()),
                               static_cast<std::uint32_t>(edges_[into_leaf_[v]].links.size())});
  while (!queue.empty()) {
    const Vertex at = std::get<2>(queue.top());
    queue.pop();
    if (std::exchange(reached[at].done, true)) continue;
    table_[std::size_t{inner_[at]} * inner_vertices_.size() + inner_[target]] = reached[at].edge;
    longest_ = std::max(longest_, reached[at].links + 2 * longest_leaf);
    if (at != target && !passable(at)) continue;
    for (const std::uint32_t e : edges_into_[at]) {
      const Edge& edge = edges_[e];
      if (inner_[edge.from] == nowhere || reached[edge.from].done) continue;
      const double sum = reached[at].length + length(edge);
      const std::uint32_t links = reached[at].links + static_cast<std::uint32_t>(edge.links.size());
      if (std::tuple(sum, links, e) >= key(edge.from)) continue;
      reached[edge.from] = {sum, links, e, false};
      queue.emplace(sum, links, edge.from);
    }
  }
}

/// @throws InputError for two nodes between which there is no way
void Graph::check_reach(const std::string& where) const {
  const auto home = [&](Vertex v) { return out_of_leaf_[v] == nowhere ? v : edges_[out_of_leaf_[v]].to; };
  std::vector<std::vector<Vertex>> nodes_at(inner_vertices_.size());
  for (Vertex node = 0; node < nodes_; ++node) nodes_at[inner_[home(node)]].push_back(node);
  for (const std::vector<Vertex>& here : nodes_at)
    for (const std::vector<Vertex>& there : nodes_at) {
      if (here.empty() || there.empty() || &here == &there) continue;
      if (next(home(here.front()), home(there.front())) != nowhere) continue;
      // Each pair needs a route of its own; there are no more pairs to look at than routes, but for the first without.
      for (const Vertex from : here)
        for (const Vertex to : there)
          if (!routes_.contains({from, to})) unreachable(where, from, to);
    }
  if (!gateway_) return;
  for (Vertex node = 0; node < nodes_; ++node)
    for (const auto& [from, to] : {std::pair(node, *gateway_), std::pair(*gateway_, node)})
      if (home(from) != home(to) && next(home(from), home(to)) == nowhere && !routes_.contains({from, to}))
        unreachable(where, from, to);
}

void Graph::unreachable(const std::string& where, Vertex from, Vertex to) const {
  throw InputError(
      concat(where, ": no edges lead from \"", vertices_[from], "\" to \"", vertices_[to], "\"; add one, or a route"));
}

void Graph::find(Vertex from, Vertex to, Links& out) const {
  if (from == to) return;
  if (const auto own = routes_.find({from, to}); own != routes_.end()) {
    out.insert(out.end(), own->second.begin(), own->second.end());
    return;
  }
  const std::uint32_t last = into_leaf_[to];
  if (out_of_leaf_[from] != nowhere) {
    append(out_of_leaf_[from], out);
    from = edges_[out_of_leaf_[from]].to;
  }
  if (last != nowhere) to = edges_[last].from;
  while (from != to) {
    const std::uint32_t edge = next(from, to);
    append(edge, out);
    from = edges_[edge].to;
  }
  if (last != nowhere) append(last, out);
}

}  // namespace orrery::platform
