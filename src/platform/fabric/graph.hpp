// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/fabric/fabric.hpp"

namespace orrery::platform {

/// Graph. All routes of a vertex with one neighbour (a leaf) lead through that neighbour. For each pair of the other
/// ("inner") vertices, a table holds the first edge of the route.
class Graph final : public Fabric {
 public:
  Graph(GraphSpec spec, const std::string& where, std::uint32_t nodes);

  [[nodiscard]] std::uint32_t node_count() const override { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] std::uint32_t switch_count() const override { return static_cast<std::uint32_t>(switches_.size()); }
  [[nodiscard]] std::uint32_t link_count() const override { return static_cast<std::uint32_t>(spec_.links.size()); }
  [[nodiscard]] std::uint32_t group_count() const override { return 1; }
  [[nodiscard]] std::string switch_name(std::uint32_t number) const override {
    return spec_.vertices[switches_[number]].name;
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override { return spec_.links[link].name; }
  [[nodiscard]] LinkCost link_cost(std::uint32_t link) const override;
  /// An edge may cross several links, and a link belong to several edges.
  [[nodiscard]] Ends ends(std::uint32_t) const override { return {}; }
  [[nodiscard]] std::uint32_t switch_of(Node) const override { return nowhere; }
  [[nodiscard]] std::uint32_t group_of(Node) const override { return 0; }
  void route(Node from, Node to, Links& out) const override { find(nodes_[from], nodes_[to], out); }
  void leave(Node from, Links& out) const override { find(nodes_[from], spec_.gateway.value(), out); }
  void enter(Node to, Links& out) const override { find(spec_.gateway.value(), nodes_[to], out); }
  [[nodiscard]] std::uint32_t longest_route() const override { return longest_; }

 private:
  using Vertex = std::uint32_t;

  void check(const std::string& where, std::uint32_t nodes) const;
  void find_leaves();
  void number_inner();
  void fill_table(const std::string& where);
  void fill_column(Vertex target);
  [[nodiscard]] bool passable(Vertex vertex) const { return spec_.nodes_forward || !spec_.vertices[vertex].node; }
  void check_reach(const std::string& where) const;
  [[noreturn]] void unreachable(const std::string& where, Vertex from, Vertex to) const;
  [[nodiscard]] double length(const GraphSpec::Edge& edge) const;
  void find(Vertex from, Vertex to, Links& out) const;
  [[nodiscard]] std::uint32_t next(Vertex from, Vertex to) const {
    return table_[std::size_t{inner_[from]} * inner_vertices_.size() + inner_[to]];
  }
  void append(std::uint32_t edge, Links& out) const {
    out.insert(out.end(), spec_.edges[edge].links.begin(), spec_.edges[edge].links.end());
  }

  GraphSpec spec_;
  std::vector<Vertex> nodes_, switches_;  ///< vertices
  std::vector<std::vector<std::uint32_t>> edges_into_;
  /// The edges from and to the only neighbour of a leaf; nowhere: not a leaf.
  std::vector<std::uint32_t> out_of_leaf_, into_leaf_;
  std::vector<std::uint32_t> inner_;  ///< by vertex: its place in the table
  std::vector<Vertex> inner_vertices_;
  std::vector<std::uint32_t> table_;  ///< the first edge, by inner source and target
  std::map<std::pair<Vertex, Vertex>, std::uint32_t> routes_;
  std::uint32_t longest_ = 0;
};

}  // namespace orrery::platform
