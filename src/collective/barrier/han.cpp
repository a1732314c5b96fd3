// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/han.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier as Open MPI's component `han` makes it: one inside each node, one of the nodes'
/// first ranks, and one more inside each node. Cost: the sum of the three.
op::Script han(Call call) {
  const TwoLevels levels(call, 0);
  const TeamCall inside = han_call(call, levels.low, CollectiveKind::Barrier, {});
  const TeamCall between = han_call(call, levels.up, CollectiveKind::Barrier, {});
  co_yield inside.stream(levels.low, {});
  if (levels.leads) co_yield between.stream(levels.up, {});
  co_yield inside.stream(levels.low, {});
}

}  // namespace orrery::collective::barrier
