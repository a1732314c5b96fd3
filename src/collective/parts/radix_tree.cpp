// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/radix_tree.hpp"

#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"

namespace orrery::collective {

op::Script bcast_along(TreeNode node, Call call) {
  co_yield tree_bcast(node, Blocks::segments_short_first(call.bytes, 1, call.segment), output);
}

op::Script reduce_along(TreeNode node, Call call) {
  const Blocks segments = Blocks::segments_short_first(call.bytes, call.element, call.segment);
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(node, segments, home, scratch);
}

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

}  // namespace orrery::collective
