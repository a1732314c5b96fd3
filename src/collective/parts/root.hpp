// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

namespace orrery::collective {

/// The ranks of a call renumbered so that the root is 0: `relative` ranks, as in trees.
struct FromRoot {
  int size;
  int root;

  [[nodiscard]] constexpr int relative(int rank) const { return rank < root ? rank - root + size : rank - root; }
  [[nodiscard]] constexpr int rank(int relative) const {
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
