// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collective/parts/team.hpp"

namespace orrery::collective {

/// A vector in as many blocks as a node has ranks. The ranks at one place of all nodes are a lane, which has one block
/// to carry: so all ranks of a node use its network at once.
/// @pre `Call::places` knows of nodes, with as many ranks each
class Lanes {
 public:
  Lanes(const Call& call, int root);

  [[nodiscard]] const Team& low() const { return levels_.low; }
  [[nodiscard]] const Team& up() const { return levels_.up; }
  [[nodiscard]] bool on_roots_node() const { return levels_.up.is_root(); }
  /// This lane's block, and where it lies in the vector at `base`.
  [[nodiscard]] Bytes block() const { return {counts_[static_cast<std::size_t>(levels_.low.self)]}; }
  [[nodiscard]] Region own(Region base) const { return base + before_; }

  /// A call of a kind with counts among the ranks of a node, whose blocks are those of the lanes.
  [[nodiscard]] TeamCall inside(CollectiveKind kind) const;
  /// A call among the ranks of this lane, of its block.
  [[nodiscard]] TeamCall between(CollectiveKind kind) const;

 private:
  Call call_;
  TwoLevels levels_;
  std::vector<std::int64_t> counts_;
  std::int64_t before_ = 0;
};

}  // namespace orrery::collective
