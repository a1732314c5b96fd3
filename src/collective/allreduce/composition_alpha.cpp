// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce as MPICH makes it where nodes have several ranks: a reduction inside each node,
/// an allreduce of the nodes' first ranks, and a broadcast inside each node; any size, operations that commute. Two
/// nodes of 3 ranks:
///     1→0 4→3 | 2→0 5→3 | 0↔3 | 0→2 3→5 | 0→1 3→4
/// Cost: the sum of the three.
op::Script composition_alpha(Call call) {
  const TwoLevels levels(call, 0);
  const TeamCall collect(call, levels.low, CollectiveKind::Reduce, call.bytes, mpich_5_0_choice);
  const TeamCall between(call, levels.up, CollectiveKind::Allreduce, call.bytes, mpich_5_0_choice);
  const TeamCall spread(call, levels.low, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  const Region beyond = scratch + call.bytes;
  co_yield collect.stream(levels.low, {input, scratch, beyond});
  if (levels.leads) co_yield between.stream(levels.up, {scratch, output, beyond});
  co_yield spread.stream(levels.low, {.output = output, .scratch = beyond});
}

}  // namespace orrery::collective::allreduce
