// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/tree.hpp"

namespace orrery::collective::reduce {

namespace {

int radix_of(const Call& call) { return call.fanout > 0 ? call.fanout : 2; }

op::Script along(TreeNode node, Call call) {
  const Blocks segments = Blocks::segments_short_first(call.bytes, call.element, call.segment);
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(node, segments, home, scratch);
}

}  // namespace

/// Streams of one rank in a reduction along trees with a radix k, in segments of which the first is the shorter one;
/// any size and root, operations that commute. k is `fanout`, 2 if it is 0; with k = 1 the complete tree is a chain.
/// Cost: that of the broadcast along the same tree, and nγ per child.
op::Script kary_tree(Call call) {
  co_yield along(collective::kary_tree(call.self, {call.size, call.root}, radix_of(call)), call);
}

op::Script contiguous_knomial_tree(Call call) {
  co_yield along(collective::contiguous_knomial_tree(call.self, {call.size, call.root}, radix_of(call)), call);
}

op::Script descending_knomial_tree(Call call) {
  co_yield along(collective::descending_knomial_tree(call.self, {call.size, call.root}, radix_of(call)), call);
}

}  // namespace orrery::collective::reduce
