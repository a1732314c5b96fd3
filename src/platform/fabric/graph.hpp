// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/fabric/fabric.hpp"

namespace orrery::platform {

/// Any other topology: nodes and switches, and edges that cross links; two edges may share a link.
///
/// A route minimises the sum over its edges of what `routing` names; of equal routes, it takes the edges given first.
/// It passes through nodes only if `nodes_forward`. A pair in `routes` takes its own route. All routes of a vertex with
/// one neighbour (a leaf) lead through that neighbour. For each pair of the other
/// ("inner") vertices, a table holds the first edge of the route.
class Graph final : public Fabric {
 public:
  /// @param where begins error messages   @param nodes how many there are, if that is said twice
  Graph(const settings::Graph& spec, const std::string& where, std::optional<std::uint32_t> nodes = {});

  [[nodiscard]] std::uint32_t node_count() const override { return nodes_; }
  [[nodiscard]] std::uint32_t switch_count() const override { return vertex_count() - nodes_; }
  [[nodiscard]] std::uint32_t link_count() const override { return static_cast<std::uint32_t>(links_.size()); }
  [[nodiscard]] std::uint32_t group_count() const override { return 1; }
  [[nodiscard]] std::string switch_name(std::uint32_t number) const override { return vertices_[nodes_ + number]; }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override { return links_[link].name; }
  [[nodiscard]] LinkCost link_cost(std::uint32_t link) const override { return links_[link].cost; }
  /// An edge may cross several links, and a link belong to several edges.
  [[nodiscard]] Ends ends(std::uint32_t) const override { return {}; }
  [[nodiscard]] std::uint32_t switch_of(Node) const override { return nowhere; }
  [[nodiscard]] std::uint32_t group_of(Node) const override { return 0; }
  void route(Node from, Node to, Links& out) const override { find(from, to, out); }
  void leave(Node from, Links& out) const override { find(from, gateway_.value(), out); }
  void enter(Node to, Links& out) const override { find(gateway_.value(), to, out); }
  [[nodiscard]] std::uint32_t longest_route() const override { return longest_; }

 private:
  using Vertex = std::uint32_t;
  struct Link {
    std::string name;
    LinkCost cost;
  };
  /// One direction, from vertex to vertex.
  struct Edge {
    Vertex from, to;
    Links links;
  };

  [[nodiscard]] Vertex vertex_count() const { return static_cast<Vertex>(vertices_.size()); }
  void add_links(const settings::GraphLink& link);
  void number(const settings::Graph& spec, const std::string& where);
  void find_leaves();
  void number_inner();
  void fill_table(const std::string& where);
  void fill_column(Vertex target);
  [[nodiscard]] bool passable(Vertex vertex) const { return nodes_forward_ || vertex >= nodes_; }
  void check_reach(const std::string& where) const;
  [[noreturn]] void unreachable(const std::string& where, Vertex from, Vertex to) const;
  [[nodiscard]] double length(const Edge& edge) const;
  void find(Vertex from, Vertex to, Links& out) const;
  [[nodiscard]] std::uint32_t next(Vertex from, Vertex to) const {
    return table_[std::size_t{inner_[from]} * inner_vertices_.size() + inner_[to]];
  }
  void append(std::uint32_t edge, Links& out) const {
    out.insert(out.end(), edges_[edge].links.begin(), edges_[edge].links.end());
  }

  std::uint32_t nodes_;
  settings::GraphRouting routing_;
  bool nodes_forward_;
  std::optional<Vertex> gateway_;
  std::vector<std::string> vertices_;  ///< their names; nodes, then switches
  std::vector<Link> links_;            ///< duplex links are two
  std::vector<Edge> edges_;
  std::vector<std::vector<std::uint32_t>> edges_into_;
  /// The edges from and to the only neighbour of a leaf; nowhere: not a leaf.
  std::vector<std::uint32_t> out_of_leaf_, into_leaf_;
  std::vector<std::uint32_t> inner_;  ///< by vertex: its place in the table
  std::vector<Vertex> inner_vertices_;
  std::vector<std::uint32_t> table_;  ///< the first edge, by inner source and target
  std::map<std::pair<Vertex, Vertex>, Links> routes_;
  std::uint32_t longest_ = 0;
};

}  // namespace orrery::platform
