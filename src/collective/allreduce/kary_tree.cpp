// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/radix_tree.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce along a complete tree, with a radix k and in segments (`up_and_down`); any size,
/// any associative operation. Operations that do not commute take the tree of consecutive ranks.
op::Script kary_tree(Call call) {
  const FromRoot ranks{call.size, 0};
  const int k = radix_of(call);
  const TreeNode node = call.commutative ? collective::kary_tree(call.self, ranks, k)
                                         : collective::contiguous_knomial_tree(call.self, ranks, k);
  co_yield up_and_down(node, call);
}

}  // namespace orrery::collective::allreduce
