// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "collective/parts/tree.hpp"

/// What MPICH's algorithms along trees with a radix have in common. The radix is `Call::fanout`, 2 if that is 0.
namespace orrery::collective {

[[nodiscard]] inline int radix_of(const Call& call) { return call.fanout > 0 ? call.fanout : 2; }

/// Down the tree, in segments of which the first is the shorter one. They are of bytes, whatever the elements.
/// Cost, s segments, height h: (h + s − 1) · (k − 1) · (α + n/s · β) at most, n in bytes.
[[nodiscard]] op::Script bcast_along(TreeNode node, Call call);

/// Up the tree, in such segments; operations that commute. Cost: that of the broadcast, and nγ per child.
[[nodiscard]] op::Script reduce_along(TreeNode node, Call call);

/// Up the tree and down again, segment by segment. Operations that do not commute need subtrees after their parents, in
/// the order of the ranks. Cost, s segments, height h: 2(h + s − 1) · (k − 1) · (α + n/s · β) and as much γ on the way
/// up, at most; n in bytes.
[[nodiscard]] op::Script up_and_down(TreeNode node, Call call);

}  // namespace orrery::collective
