// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/han.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::gather {

/// Stream of one rank in a gather as Open MPI's component `han` makes it: inside the nodes to the ranks at the root's
/// place, then from these to the root, which puts the blocks into the order of ranks; as many ranks on each node.
/// Two nodes of 3 ranks, root 1:
///     0→1 3→4 | 2→1 5→4 | 4→1 (3 blocks)
/// Cost: the sum of both levels.
op::Script han(Call call) {
  const TwoLevels levels(call, call.root);
  const bool in_order = levels.nodes->consecutive();
  const Bytes node = call.bytes * levels.low.size();
  const TeamCall inside = han_call(call, levels.low, CollectiveKind::Gather, call.bytes);
  const TeamCall between = han_call(call, levels.up, CollectiveKind::Gather, node);
  const Region all = scratch + node;
  const Region beyond = in_order ? all : all + call.bytes * call.size;
  co_yield inside.stream(levels.low, {.output = scratch, .scratch = all});
  if (!levels.leads) co_return;
  const Placed across{.input = scratch, .output = in_order ? output : all, .scratch = beyond};
  co_yield between.stream(levels.up, across);
  if (call.self == call.root && !in_order)
    co_yield blocks_from_nodes(*levels.nodes, levels.up, all, output, call.bytes);
}

}  // namespace orrery::collective::gather
