// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier as MPICH makes it where nodes have several ranks: one inside each node, one of the
/// nodes' first ranks, and then these let go those of their nodes by a broadcast of one byte; any size.
/// Cost: the sum of the three.
op::Script composition_alpha(Call call) {
  const TwoLevels levels(call, 0);
  const TeamCall inside(call, levels.low, CollectiveKind::Barrier, {}, mpich_5_0_choice);
  const TeamCall between(call, levels.up, CollectiveKind::Barrier, {}, mpich_5_0_choice);
  const TeamCall release(call, levels.low, CollectiveKind::Bcast, {1}, mpich_5_0_choice);
  co_yield inside.stream(levels.low, {});
  if (levels.leads) co_yield between.stream(levels.up, {});
  co_yield release.stream(levels.low, {.output = {}});
}

}  // namespace orrery::collective::barrier
