// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

namespace orrery::collective {

/// The ranks of a call renumbered so that the root is 0: `relative` ranks, as in trees.
struct FromRoot {
  int size;
  int root;
  bool swaps = false;  ///< the root and rank 0 change places; else all follow the root in the order of the ring

  [[nodiscard]] static constexpr FromRoot swapped(int size, int root) { return {size, root, true}; }

  [[nodiscard]] constexpr int relative(int rank) const {
    if (swaps) return rank == root ? 0 : rank == 0 ? root : rank;
    return rank < root ? rank - root + size : rank - root;
  }
  [[nodiscard]] constexpr int rank(int relative) const {
    if (swaps) return FromRoot::relative(relative);
    return relative < size - root ? relative + root : relative + root - size;
  }
};

/// Neighbours on the ring of all ranks, `distance` in [0, size].
[[nodiscard]] constexpr int after(int rank, int distance, int size) {
  return rank < size - distance ? rank + distance : rank + distance - size;
}
[[nodiscard]] constexpr int before(int rank, int distance, int size) {
  return rank < distance ? rank - distance + size : rank - distance;
}

}  // namespace orrery::collective
