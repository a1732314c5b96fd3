// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::collective {

/// Ranks by the node that they are on. Nodes are numbered by their lowest ranks, the ranks of a node in their order:
/// that number is their place.
class Nodes {
 public:
  explicit Nodes(const std::vector<std::uint32_t>& node_of_rank);

  [[nodiscard]] int size() const { return static_cast<int>(node_of_.size()); }
  [[nodiscard]] int count() const { return static_cast<int>(begin_of_node_.size()) - 1; }
  [[nodiscard]] int of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int place(int rank) const { return place_of_[static_cast<std::size_t>(rank)]; }
  /// Those of a node, ascending.
  [[nodiscard]] std::span<const int> on(int node) const { return part(by_node_, begin_of_node_, node); }
  /// Those at the same place of their nodes, ascending.
  [[nodiscard]] std::span<const int> at(int place) const { return part(by_place_, begin_of_place_, place); }

  [[nodiscard]] bool one_each() const { return count() == size(); }
  /// As many ranks on each node.
  [[nodiscard]] bool balanced() const;
  /// Those of a node follow each other, node by node.
  [[nodiscard]] bool consecutive() const;

 private:
  using Ranks = std::vector<int>;

  static std::span<const int> part(const Ranks& ranks, const Ranks& begins, int index) {
    const auto i = static_cast<std::size_t>(index);
    return std::span(ranks).subspan(static_cast<std::size_t>(begins[i]),
                                    static_cast<std::size_t>(begins[i + 1] - begins[i]));
  }
  static void sort(const Ranks& key_of_rank, Ranks& ranks, Ranks& begins);

  Ranks node_of_, place_of_;
  Ranks by_node_, begin_of_node_;
  Ranks by_place_, begin_of_place_;
};

}  // namespace orrery::collective
