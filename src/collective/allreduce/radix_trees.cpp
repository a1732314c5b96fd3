// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/tree.hpp"

namespace orrery::collective::allreduce {

namespace {

int radix_of(const Call& call) { return call.fanout > 0 ? call.fanout : 2; }

/// Up the tree and down again, segment by segment. Operations that do not commute need subtrees after their parents, in
/// the order of the ranks.
op::Script up_and_down(TreeNode node, Call call) {
  const Blocks segments = Blocks::segments_short_first(call.bytes, call.element, call.segment);
  Started sends;
  co_yield copy(output, {input, call.bytes});
  for (int i = 0; i < segments.count(); ++i) {
    const Slice sum = segments.at(output, i);
    const Slice arrived{scratch, sum.bytes};
    for (const int child : node.children) {
      co_yield recv(child, arrived);
      if (call.commutative) {
        co_yield combine(sum.region, arrived);
      } else {
        co_yield combine(arrived.region, sum);
        co_yield copy(sum.region, arrived);
      }
    }
    if (!node.is_root()) {
      co_yield send(node.parent, sum);
      co_yield recv(node.parent, sum);
    }
    for (const int child : node.children) co_yield sends.isend(child, sum);
  }
  co_yield sends.wait_all();
}

}  // namespace

/// Streams of one rank in an allreduce along a tree with a radix k to rank 0 and back, in segments of which the first
/// is the shorter one; any size, any associative operation: those that do not commute take the contiguous tree. k is
/// `fanout`, 2 if it is 0.
/// Cost, s segments, height h: 2(h + s − 1) · (k − 1) · (α + n/s · β) and as much γ on the way up, at most; n in bytes.
op::Script kary_tree(Call call) {
  const FromRoot ranks{call.size, 0};
  const int k = radix_of(call);
  const TreeNode node = call.commutative ? collective::kary_tree(call.self, ranks, k)
                                         : collective::contiguous_knomial_tree(call.self, ranks, k);
  co_yield up_and_down(node, call);
}

op::Script contiguous_knomial_tree(Call call) {
  co_yield up_and_down(collective::contiguous_knomial_tree(call.self, {call.size, 0}, radix_of(call)), call);
}

op::Script descending_knomial_tree(Call call) {
  const FromRoot ranks{call.size, 0};
  const int k = radix_of(call);
  const TreeNode node = call.commutative ? collective::descending_knomial_tree(call.self, ranks, k)
                                         : collective::contiguous_knomial_tree(call.self, ranks, k);
  co_yield up_and_down(node, call);
}

}  // namespace orrery::collective::allreduce
