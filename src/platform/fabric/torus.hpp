// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "platform/fabric/fabric.hpp"

namespace orrery::platform {

/// Torus or mesh of any dimension: a router for each point of a grid, joined to its neighbours. In a dimension that
/// wraps, the first and the last are neighbours too, unless there are only two. Routers count along the first dimension
/// first. Steps along a dimension go the shorter way round. If both ways are equally long,
/// they go up from routers with an even coordinate and down from the others, so that both directions carry the same
/// load.
class Torus final : public Fabric {
 public:
  /// @param where begins error messages   @param nodes how many there are, if fewer than places
  Torus(const settings::Torus& spec, const std::string& where, std::optional<std::uint32_t> nodes = {});

  [[nodiscard]] std::uint32_t node_count() const override { return nodes_; }
  [[nodiscard]] std::uint32_t switch_count() const override { return routers_; }
  [[nodiscard]] std::uint32_t link_count() const override { return links_; }
  [[nodiscard]] std::uint32_t group_count() const override { return 1; }
  [[nodiscard]] std::string switch_name(std::uint32_t number) const override;
  [[nodiscard]] LinkCost link_cost(std::uint32_t) const override {
    return {{spec_.bandwidth_bytes_per_s}, {spec_.latency_s}};
  }
  [[nodiscard]] Ends ends(std::uint32_t link) const override;
  [[nodiscard]] std::uint32_t switch_of(Node node) const override { return node / spec_.nodes_per_router; }
  [[nodiscard]] std::uint32_t group_of(Node) const override { return 0; }
  void route(Node from, Node to, Links& out) const override;
  void leave(Node from, Links& out) const override { walk(switch_of(from), 0, 0, out); }
  void enter(Node to, Links& out) const override { walk(0, switch_of(to), 0, out); }
  [[nodiscard]] std::uint32_t longest_route() const override;

 private:
  struct Dimension {
    std::uint32_t size = 1;
    std::uint32_t stride = 1;  ///< between the numbers of neighbours
    std::uint32_t edges = 0;   ///< cables of one line of routers; edge e joins e and e + 1
    std::uint32_t first_link = 0;

    [[nodiscard]] bool wraps() const { return edges == size; }
    [[nodiscard]] std::uint32_t coordinate(std::uint32_t router) const { return router / stride % size; }
    [[nodiscard]] std::uint32_t line(std::uint32_t router) const {
      return router / (stride * size) * stride + router % stride;
    }
    [[nodiscard]] std::uint32_t longest() const { return wraps() ? size / 2 : size - 1; }
  };

  void walk(std::uint32_t from, std::uint32_t to, std::uint64_t order, Links& out) const;
  [[nodiscard]] static std::uint32_t steps_up(const Dimension& dimension, std::uint32_t from, std::uint32_t to);
  std::uint32_t walk_along(const Dimension& dimension, std::uint32_t at, std::uint32_t to, Links& out) const;

  settings::Torus spec_;
  std::uint32_t nodes_ = 0, routers_ = 1, links_ = 0;
  std::vector<Dimension> dimensions_;
};

}  // namespace orrery::platform
