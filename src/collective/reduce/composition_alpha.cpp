// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction as MPICH makes it of long vectors where nodes have several ranks: inside the nodes
/// to their first ranks, from these to rank 0, and from there to the root; any size and root, operations that commute.
/// Two nodes of 3 ranks, root 4:
///     1→0 4→3 | 2→0 5→3 | 3→0 | 0→4
/// Cost: the sum of both levels, α + nβ more unless the root is rank 0.
op::Script composition_alpha(Call call) {
  const TwoLevels levels(call, 0);
  const TeamCall inside(call, levels.low, CollectiveKind::Reduce, call.bytes, mpich_5_0_choice);
  const TeamCall between(call, levels.up, CollectiveKind::Reduce, call.bytes, mpich_5_0_choice);
  const Region of_node = scratch;
  const Region of_all = call.root == 0 ? output : scratch + call.bytes;
  const Region beyond = scratch + call.bytes * 2;
  co_yield inside.stream(levels.low, {input, of_node, beyond});
  if (levels.leads) co_yield between.stream(levels.up, {of_node, of_all, beyond});
  if (call.root == 0) co_return;
  if (call.self == 0) co_yield send(call.root, {of_all, call.bytes});
  if (call.self == call.root) co_yield recv(0, {output, call.bytes});
}

}  // namespace orrery::collective::reduce
