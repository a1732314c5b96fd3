// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/han.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather as Open MPI's component `han` makes it: a gather inside each node, an allgather
/// of the nodes' first ranks, and a broadcast inside each node; as many ranks on each node. Two nodes of 2 ranks:
///     1→0 3→2 | 0↔2 (2 blocks) | 0→1 2→3 (4 blocks)
/// Cost: the sum of the three.
op::Script han(Call call) {
  const TwoLevels levels(call, 0);
  const bool in_order = levels.nodes->consecutive();
  const Bytes node = call.bytes * levels.low.size();
  const TeamCall collect = han_call(call, levels.low, CollectiveKind::Gather, call.bytes);
  const TeamCall between = han_call(call, levels.up, CollectiveKind::Allgather, node);
  const TeamCall spread = han_call(call, levels.low, CollectiveKind::Bcast, call.bytes * call.size);
  const Region all = scratch + node;
  const Region beyond = in_order ? all : all + call.bytes * call.size;
  co_yield collect.stream(levels.low, {.output = scratch, .scratch = all});
  const Placed across{.input = scratch, .output = in_order ? output : all, .scratch = beyond};
  if (levels.leads) co_yield between.stream(levels.up, across);
  if (levels.leads && !in_order) co_yield blocks_from_nodes(*levels.nodes, levels.up, all, output, call.bytes);
  co_yield spread.stream(levels.low, {.output = output, .scratch = scratch});
}

}  // namespace orrery::collective::allgather
