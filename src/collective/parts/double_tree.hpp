// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "collective/collective.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/tree.hpp"

namespace orrery::collective {

/// Two binary trees below one root, each for one half of a vector. A rank that hands on in one of them is a leaf of the
/// other, so that all ranks send and receive at full rate; only if p is even, one rank is a leaf of both. The second
/// tree is the mirror image of the first, or, if p is even, the first with its ranks moved on by one. p = 5:
///     0→4 | 4→2 | 2→1 2→3        0→1 | 1→3 | 3→4 3→2
/// Cost, s segments in a half: about (2 log2 p + s) · 2(α + n/2s · β), n in bytes.
/// Source: Sanders, Speck, Träff 2009, doi:10.1016/j.parco.2009.09.001
class DoubleTree {
 public:
  DoubleTree(const Call& call, int root);

  /// The broadcast of one half, in place in the output.
  [[nodiscard]] op::Script bcast(std::size_t half) const;
  /// The reduction of one half of the input to the same half of `home`; the operation must commute.
  /// @param home as long as the vector, on all ranks   @param spare twice as long
  [[nodiscard]] op::Script reduce(std::size_t half, Region home, Region spare) const;

 private:
  [[nodiscard]] Bytes before(std::size_t half) const { return half == 0 ? Bytes{} : segments_[0].total(); }

  std::array<TreeNode, 2> nodes_;
  std::array<Blocks, 2> segments_;
};

}  // namespace orrery::collective
