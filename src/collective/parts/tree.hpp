// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

#include "collective/parts/root.hpp"

/// Trees over all ranks of a call, by the root: what one rank has to know of each.
namespace orrery::collective {

/// The children of a node, in the order in which they are served. Needs no destruction, so that streams can pass it on
/// in one expression (GCC 12 destroys such temporaries twice).
class Children {
 public:
  static constexpr std::size_t most = 128;

  void push_back(int rank) {
    assert(size_ < most);
    ranks_[size_++] = rank;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] int operator[](std::size_t i) const { return ranks_[i]; }
  [[nodiscard]] const int* begin() const { return ranks_.data(); }
  [[nodiscard]] const int* end() const { return ranks_.data() + size_; }

 private:
  std::array<int, most> ranks_;
  std::size_t size_ = 0;
};

struct TreeNode {
  int parent = -1;  ///< rank; the root has none
  Children children;

  [[nodiscard]] bool is_root() const { return parent < 0; }
  [[nodiscard]] bool is_leaf() const { return children.empty(); }
};

/// Chains of ranks that begin at the root, as equal in length as may be, longer ones first. One chain of all ranks is a
/// pipeline. At most 32. p = 6, 2 chains: 0→1→2→3, 0→4→5
[[nodiscard]] TreeNode chains(int self, FromRoot ranks, int count);

/// Complete tree of two children per node, filled level by level; what is below the first child are the odd relative
/// ranks. p = 7: 0→1 0→2 | 1→3 1→5 2→4 2→6
[[nodiscard]] TreeNode binary_tree(int self, FromRoot ranks);

/// Binomial tree in which distances double on the way down: the parent of r is r without its highest bit.
/// p = 8: 0→1 0→2 0→4 | 1→3 1→5 2→6 | 3→7
[[nodiscard]] TreeNode doubling_tree(int self, FromRoot ranks);

/// Binomial tree in which the subtree of r is the ranks from r on: the parent of r is r without its lowest bit.
/// Children are served nearest first. p = 8: 0→1 0→2 0→4 | 2→3 4→5 4→6 | 6→7
[[nodiscard]] TreeNode in_order_tree(int self, FromRoot ranks);

/// Such a tree with k - 1 children per level, farthest level first: in base k, the parent of r is r with its lowest
/// digit that is not 0 set to 0. k is at most 32. p = 9, k = 3: 0→3 0→6 0→1 0→2 | 3→4 3→5 6→7 6→8
[[nodiscard]] TreeNode knomial_tree(int self, FromRoot ranks, int k);

/// Complete tree of k children per node, filled level by level; 1 to 32. p = 7, k = 3: 0→1 0→2 0→3 | 1→4 1→5 1→6
[[nodiscard]] TreeNode kary_tree(int self, FromRoot ranks, int k);

/// k-nomial tree in which the subtrees of a node's children are the ranks after it, one after the other, largest first
/// (`ContiguousKnomial`). p = 9, k = 3: 0→1 0→4 0→7 0→8 | 1→2 1→3 4→5 4→6
[[nodiscard]] TreeNode contiguous_knomial_tree(int self, FromRoot ranks, int k);

/// As `knomial_tree`, the last child of each level first. p = 9, k = 3: 0→6 0→3 0→2 0→1 | 3→5 3→4 6→8 6→7
[[nodiscard]] TreeNode descending_knomial_tree(int self, FromRoot ranks, int k);

/// Binary tree whose root is the last rank, and in which a node comes after its subtrees, the left one (second child)
/// before the right one (first child): operations that do not commute are combined in the order of the ranks.
/// p = 5: 4→3 4→1 | 3→2 1→0
[[nodiscard]] TreeNode in_order_binary_tree(int self, int size);

}  // namespace orrery::collective
