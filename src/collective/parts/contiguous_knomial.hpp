// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collective/parts/blocks.hpp"
#include "collective/parts/root.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Place in a k-nomial tree over relative ranks in which subtrees are contiguous: that of r begins with r, and those of
/// its children follow, k − 1 of each size, largest first. p = 9, k = 3: the children of 0 have the subtrees [1, 4),
/// [4, 7), [7, 8), [8, 9).
class ContiguousKnomial {
 public:
  /// @param k 2 to 32
  ContiguousKnomial(int relative, int size, int k);

  [[nodiscard]] int parent() const { return parent_; }  ///< -1: it is the root
  /// The ranks of the subtree.
  [[nodiscard]] BlockRange subtree() const { return clipped(relative_, length_); }
  /// Those of the children, in order.
  [[nodiscard]] std::vector<BlockRange> children() const;

 private:
  [[nodiscard]] BlockRange clipped(std::int64_t first, std::int64_t length) const;

  int relative_;
  int size_;
  int k_;
  int parent_ = -1;
  std::int64_t length_ = 1;  ///< of the subtree, if there were enough ranks
};

/// Gives each rank the blocks of its subtree out of those of its parent, all children at the same time; empty ones too.
/// Block i belongs to relative rank i. @param base where this rank has its block 0, or would have it if it had all
[[nodiscard]] op::Script knomial_scatter(int self, FromRoot ranks, Blocks blocks, Region base, int k);

}  // namespace orrery::collective
