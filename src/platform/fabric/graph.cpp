// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "platform/fabric/require.hpp"

namespace orrery::platform {
namespace {

/// Largest number of inner vertices: their table of 4096² edges takes 64 MiB.
constexpr std::size_t most_inner = 4096;

template <class Named>
void require_names(const std::string& where, const char* what, const std::vector<Named>& things) {
  std::unordered_set<std::string_view> names;
  for (const Named& thing : things)
    if (!names.insert(thing.name).second)
      throw InputError(concat(where, ": two ", what, " are called \"", thing.name, "\"; give each its own name"));
}

}  // namespace

Graph::Graph(GraphSpec spec, const std::string& where, std::uint32_t nodes) : spec_(std::move(spec)) {
  for (Vertex vertex = 0; vertex < spec_.vertices.size(); ++vertex)
    (spec_.vertices[vertex].node ? nodes_ : switches_).push_back(vertex);
  check(where, nodes);
  for (std::uint32_t i = 0; i < spec_.routes.size(); ++i)
    routes_.insert_or_assign({spec_.routes[i].from, spec_.routes[i].to}, i);
  find_leaves();
  number_inner();
  fill_table(where);
}

void Graph::check(const std::string& where, std::uint32_t nodes) const {
  require_names(where, "vertices", spec_.vertices);
  require_names(where, "links", spec_.links);
  if (nodes_.size() != nodes) throw InputError(concat(where, ": has ", nodes_.size(), " nodes, not ", nodes));
  if (spec_.gateway.value_or(0) >= spec_.vertices.size())
    throw InputError(concat(where, ": the gateway is none of its vertices"));
  for (const GraphSpec::Link& link : spec_.links) {
    require_positive(concat(where, ", link \"", link.name, "\""), "bandwidth", link.bandwidth.bytes_per_s);
    require_not_negative(concat(where, ", link \"", link.name, "\""), "latency", link.latency.s);
  }
  const auto check_edge = [&](const GraphSpec::Edge& edge) {
    const auto unknown = [&](std::uint32_t link) { return link >= spec_.links.size(); };
    if (std::max(edge.from, edge.to) >= spec_.vertices.size() || std::ranges::any_of(edge.links, unknown))
      throw InputError(
          concat(where, ": edge ", edge.from, " - ", edge.to, " has vertices or links that are not there"));
    if (edge.from == edge.to)
      throw InputError(concat(where, ": an edge joins \"", spec_.vertices[edge.from].name, "\" to itself"));
  };
  std::ranges::for_each(spec_.edges, check_edge);
  std::ranges::for_each(spec_.routes, check_edge);
}

/// A leaf has one edge out and one edge in, to and from the same vertex, which has other neighbours.
void Graph::find_leaves() {
  const std::size_t count = spec_.vertices.size();
  std::vector<std::vector<std::uint32_t>> out_of(count);
  edges_into_.assign(count, {});
  for (std::uint32_t i = 0; i < spec_.edges.size(); ++i) {
    out_of[spec_.edges[i].from].push_back(i);
    edges_into_[spec_.edges[i].to].push_back(i);
  }
  out_of_leaf_.assign(count, nowhere);
  into_leaf_.assign(count, nowhere);
  for (Vertex v = 0; v < count; ++v) {
    if (out_of[v].size() != 1 || edges_into_[v].size() != 1) continue;
    const Vertex neighbour = spec_.edges[out_of[v][0]].to;
    if (spec_.edges[edges_into_[v][0]].from != neighbour || out_of[neighbour].size() < 2 || !passable(neighbour))
      continue;
    out_of_leaf_[v] = out_of[v][0];
    into_leaf_[v] = edges_into_[v][0];
  }
}

void Graph::number_inner() {
  inner_.assign(spec_.vertices.size(), nowhere);
  for (Vertex v = 0; v < spec_.vertices.size(); ++v) {
    if (out_of_leaf_[v] != nowhere) continue;
    inner_[v] = static_cast<std::uint32_t>(inner_vertices_.size());
    inner_vertices_.push_back(v);
  }
}

double Graph::length(const GraphSpec::Edge& edge) const {
  switch (spec_.routing) {
    case GraphRouting::FewestEdges: return 1;
    case GraphRouting::FewestLinks: return static_cast<double>(edge.links.size());
    case GraphRouting::LeastLatency: break;
  }
  double latency_s = 0;
  for (const std::uint32_t link : edge.links) latency_s += spec_.links[link].latency.s;
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
  for (const GraphSpec::Edge& route : spec_.routes)
    longest_ = std::max(longest_, static_cast<std::uint32_t>(route.links.size()));
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
  std::vector<Reached> reached(spec_.vertices.size());
  const auto key = [&](Vertex v) { return std::tuple(reached[v].length, reached[v].links, reached[v].edge); };
  using Entry = std::tuple<double, std::uint32_t, Vertex>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  reached[target].length = 0;
  queue.emplace(0, 0, target);
  std::uint32_t longest_leaf = 0;
  for (Vertex v = 0; v < spec_.vertices.size(); ++v)
    if (out_of_leaf_[v] != nowhere)
      longest_leaf = std::max({longest_leaf, static_cast<std::uint32_t>(spec_.edges[out_of_leaf_[v]].links.size()),
                               static_cast<std::uint32_t>(spec_.edges[into_leaf_[v]].links.size())});
  while (!queue.empty()) {
    const Vertex at = std::get<2>(queue.top());
    queue.pop();
    if (std::exchange(reached[at].done, true)) continue;
    table_[std::size_t{inner_[at]} * inner_vertices_.size() + inner_[target]] = reached[at].edge;
    longest_ = std::max(longest_, reached[at].links + 2 * longest_leaf);
    if (at != target && !passable(at)) continue;
    for (const std::uint32_t e : edges_into_[at]) {
      const GraphSpec::Edge& edge = spec_.edges[e];
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
  const auto home = [&](Vertex v) { return out_of_leaf_[v] == nowhere ? v : spec_.edges[out_of_leaf_[v]].to; };
  std::vector<Vertex> example(inner_vertices_.size(), nowhere);  // a node for each inner vertex that has one
  for (const Vertex node : nodes_)
    if (example[inner_[home(node)]] == nowhere || example[inner_[home(node)]] != home(node))
      example[inner_[home(node)]] = node;
  for (const Vertex from : example)
    for (const Vertex to : example) {
      if (from == nowhere || to == nowhere || home(from) == home(to)) continue;
      if (next(home(from), home(to)) != nowhere || routes_.contains({from, to})) continue;
      unreachable(where, from, to);
    }
  if (!spec_.gateway) return;
  for (const Vertex node : nodes_)
    for (const auto& [from, to] : {std::pair(node, *spec_.gateway), std::pair(*spec_.gateway, node)})
      if (home(from) != home(to) && next(home(from), home(to)) == nowhere && !routes_.contains({from, to}))
        unreachable(where, from, to);
}

void Graph::unreachable(const std::string& where, Vertex from, Vertex to) const {
  throw InputError(concat(where, ": no edges lead from \"", spec_.vertices[from].name, "\" to \"",
                          spec_.vertices[to].name, "\"; add one, or a route"));
}

void Graph::find(Vertex from, Vertex to, Links& out) const {
  if (from == to) return;
  if (const auto own = routes_.find({from, to}); own != routes_.end()) {
    const std::vector<std::uint32_t>& links = spec_.routes[own->second].links;
    out.insert(out.end(), links.begin(), links.end());
    return;
  }
  const std::uint32_t last = into_leaf_[to];
  if (out_of_leaf_[from] != nowhere) {
    append(out_of_leaf_[from], out);
    from = spec_.edges[out_of_leaf_[from]].to;
  }
  if (last != nowhere) to = spec_.edges[last].from;
  while (from != to) {
    const std::uint32_t edge = next(from, to);
    append(edge, out);
    from = spec_.edges[edge].to;
  }
  if (last != nowhere) append(last, out);
}

Fabric::LinkCost Graph::link_cost(std::uint32_t link) const {
  const GraphSpec::Link& l = spec_.links[link];
  return {l.bandwidth, l.latency, l.shared};
}

}  // namespace orrery::platform
