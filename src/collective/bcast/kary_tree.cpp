// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/radix_tree.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a complete tree, with a radix k and in segments (`bcast_along`); any size
/// and root; with k = 1 a complete tree is a chain.
op::Script kary_tree(Call call) {
  const TreeNode node = collective::kary_tree(call.self, {call.size, call.root}, radix_of(call));
  co_yield bcast_along(node, call);
}

}  // namespace orrery::collective::bcast
