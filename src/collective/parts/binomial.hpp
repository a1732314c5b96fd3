// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/accumulator.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/root.hpp"
#include "op/script.hpp"

/// Binomial trees over relative ranks: the parent of r is r without its lowest set bit b, its children are r + 1, r +
/// 2, r + 4, ... below r + b. The subtree of r is thus the ranks [r, r + b).
namespace orrery::collective {

struct BinomialNode {
  int relative;
  int size;

  /// b: how many ranks the subtree would have if the size were a power of two.
  [[nodiscard]] constexpr int reach() const {
    if (relative != 0) return relative & -relative;
    int power = 1;
    while (power < size) power *= 2;
    return power;
  }
  [[nodiscard]] constexpr int parent() const { return relative - reach(); }
  [[nodiscard]] constexpr int child(int distance) const { return relative + distance; }
  [[nodiscard]] constexpr bool has_child(int distance) const { return distance < reach() && child(distance) < size; }
  /// The ranks of the subtree.
  [[nodiscard]] constexpr BlockRange subtree() const {
    return {relative, relative + reach() < size ? relative + reach() : size};
  }
};

/// Sends `data` of the root to all, nearest to the leaves last. Cost: ⌈log2 p⌉ · (α + nβ).
[[nodiscard]] op::Script binomial_bcast(int self, FromRoot ranks, Slice data);

/// Reduces the inputs of all ranks, `bytes` long, to `accumulator` of the root. If the operation does not commute the
/// root must be rank 0. Cost: ⌈log2 p⌉ · (α + nβ + nγ).
[[nodiscard]] op::Script binomial_reduce(int self, FromRoot ranks, Accumulator* accumulator, Bytes bytes);

/// Gives each rank the blocks of its subtree out of those of its parent. Block i belongs to relative rank i.
/// @param base where this rank has its block 0, or would have it if it had all
/// Cost: ⌈log2 p⌉ · α + (p − 1)/p · nβ, n being all blocks.
/// @param to_the_end ranks other than the root give their farthest child not its blocks only but all that follow too,
/// as MPICH does in immediate broadcasts: whatever is there
[[nodiscard]] op::Script binomial_scatter(int self, FromRoot ranks, Blocks blocks, Region base,
                                          bool to_the_end = false);

/// The reverse.
[[nodiscard]] op::Script binomial_gather(int self, FromRoot ranks, Blocks blocks, Region base);

}  // namespace orrery::collective
