// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/radix_tree.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce along a k-nomial tree whose subtrees are of consecutive ranks, with a radix k and
/// in segments (`up_and_down`); any size, any associative operation.
op::Script contiguous_knomial_tree(Call call) {
  const TreeNode node = collective::contiguous_knomial_tree(call.self, {call.size, 0}, radix_of(call));
  co_yield up_and_down(node, call);
}

}  // namespace orrery::collective::allreduce
