// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "collective/parts/tree.hpp"
#include "op/script.hpp"

/// Segments of a vector on their way along a tree: while a rank hands one on, the next arrives.
namespace orrery::collective {

/// From the root to all. Cost for s segments, height h, d children at most: (h + s − 1) · d · (α + n/s · β).
/// @param base where the vector lies, on every rank
[[nodiscard]] op::Script tree_bcast(TreeNode node, Blocks segments, Region base);

/// From all to the root, combined on the way: what has been combined = child op what has been combined. Operations that
/// do not commute need a tree in which children come before their parents in the order of the ranks.
/// Cost as above, and n/s · γ per child.
/// @param home where this rank combines the vector: the result, at the root   @param spare two segments long
[[nodiscard]] op::Script tree_reduce(TreeNode node, Blocks segments, Region home, Region spare);

}  // namespace orrery::collective
