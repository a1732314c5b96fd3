// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/han.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::scatter {

/// Stream of one rank in a scatter as Open MPI's component `han` makes it: the root orders the blocks by node and sends
/// those of each node to the rank at its place there, which scatters them; as many ranks on each node. Two nodes of 3
/// ranks, root 1:
///     1→4 (3 blocks) | 1→0 4→3 | 1→2 4→5
/// Cost: the sum of both levels.
op::Script han(Call call) {
  const TwoLevels levels(call, call.root);
  const bool in_order = levels.nodes->consecutive();
  const Bytes node = call.bytes * levels.low.size();
  const TeamCall between = han_call(call, levels.up, CollectiveKind::Scatter, node);
  const TeamCall inside = han_call(call, levels.low, CollectiveKind::Scatter, call.bytes);
  const Region all = scratch + node;
  if (call.self == call.root && !in_order) co_yield blocks_to_nodes(*levels.nodes, levels.up, input, all, call.bytes);
  const Region beyond = in_order ? all : all + call.bytes * call.size;
  const Placed across{.input = in_order ? input : all, .output = scratch, .scratch = beyond};
  if (levels.leads) co_yield between.stream(levels.up, across);
  co_yield inside.stream(levels.low, {.input = scratch, .output = output, .scratch = all});
}

}  // namespace orrery::collective::scatter
