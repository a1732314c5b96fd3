// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "platform/fabric/fabric.hpp"

namespace orrery::platform {

/// A parallel-ports generalised fat-tree: nodes_per_leaf × Π down places for nodes, filled from the first.
/// Source: Zahavi 2010, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees".
///
/// A switch of level l (leaves: 0) is identified by a and b: a is the number of the subtree below it, and b
/// its number among the switches of level l above that subtree (its tops). b is a mixed-radix number: digit t says
/// which of the `up` switches of level t a route takes on its way up. So the way down from a switch to a node is
/// unique, except for the choice between parallel cables.
class FatTree final : public Fabric {
 public:
  /// @param where begins error messages   @param nodes how many there are, if fewer than places
  FatTree(settings::FatTree spec, const std::string& where, std::optional<std::uint32_t> nodes = {});

  [[nodiscard]] std::uint32_t node_count() const override { return nodes_; }
  [[nodiscard]] std::uint32_t switch_count() const override { return switches_; }
  [[nodiscard]] std::uint32_t link_count() const override { return links_; }
  [[nodiscard]] std::uint32_t group_count() const override { return levels_.front().switches; }
  [[nodiscard]] std::string switch_name(std::uint32_t number) const override;
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkCost link_cost(std::uint32_t link) const override;
  [[nodiscard]] Ends ends(std::uint32_t link) const override;
  [[nodiscard]] std::uint32_t switch_of(Node node) const override { return node / spec_.nodes_per_leaf; }
  [[nodiscard]] std::uint32_t group_of(Node node) const override { return switch_of(node); }
  void route(Node from, Node to, Links& out) const override;
  void leave(Node from, Links& out) const override;
  void enter(Node to, Links& out) const override;
  [[nodiscard]] std::uint32_t longest_route() const override { return 2 * static_cast<std::uint32_t>(top()); }

 private:
  struct Level {
    std::uint32_t subtree = 1;   ///< nodes below a switch
    std::uint32_t tops = 1;      ///< switches of this level above the same nodes
    std::uint32_t switches = 0;  ///< of this level
    std::uint32_t first_switch = 0;
    std::uint32_t ports = 0;  ///< cables from a switch of the level below up to this one
    std::uint32_t first_link = 0;
  };
  /// A cable between a switch of level − 1 and one of `level`.
  struct Cable {
    std::size_t level;
    std::uint32_t below, port;
    bool upwards;
  };

  [[nodiscard]] std::size_t top() const { return levels_.size() - 1; }
  [[nodiscard]] std::size_t meeting_level(Node from, Node to) const;
  [[nodiscard]] std::uint32_t port(std::size_t level, Node from, Node to) const;
  [[nodiscard]] std::uint32_t gateway_port(std::size_t level, Node node) const;
  [[nodiscard]] std::uint32_t link(const Cable& cable) const;
  [[nodiscard]] Cable cable(std::uint32_t link) const;
  template <class Port>
  std::uint32_t climb(Node from, std::size_t level, Port port, Links* out) const;
  template <class Port>
  void descend(Node to, std::size_t level, std::uint32_t top, Port port, Links& out) const;

  settings::FatTree spec_;
  std::uint32_t nodes_ = 0, switches_ = 0, links_ = 0;
  std::vector<Level> levels_;  ///< from the leaves
};

}  // namespace orrery::platform
