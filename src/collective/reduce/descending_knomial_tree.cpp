// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/radix_tree.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along a k-nomial tree whose children come in descending order of size, with a
/// radix k and in segments (`reduce_along`); any size and root, operations that commute; with k = 1 a complete tree is
/// a chain.
op::Script descending_knomial_tree(Call call) {
  const TreeNode node = collective::descending_knomial_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield reduce_along(node, call);
}

}  // namespace orrery::collective::reduce
