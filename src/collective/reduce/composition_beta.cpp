// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction as MPICH makes it of short vectors where nodes have several ranks: inside all
/// nodes but the root's to their first ranks, from these to the first rank of the root's node, and then inside that, to
/// the root; any size and root, operations that commute. Two nodes of 3 ranks, root 1:
///     4→3 | 5→3 | 3→0 | 0→1 | 2→1
/// Cost: the sum of both levels, and of the inner one once more.
op::Script composition_beta(Call call) {
  const Nodes& nodes = *call.places->nodes();
  const TwoLevels of_first(call, nodes.on(nodes.of(call.root))[0]);
  const TwoLevels of_root(call, call.root);
  const bool at_home = nodes.of(call.self) == nodes.of(call.root);
  const TeamCall inside(call, Team{of_first.low.ranks, of_first.low.self, 0}, CollectiveKind::Reduce, call.bytes,
                        mpich_5_0_choice);
  const TeamCall between(call, of_first.up, CollectiveKind::Reduce, call.bytes, mpich_5_0_choice);
  const TeamCall to_root(call, of_root.low, CollectiveKind::Reduce, call.bytes, mpich_5_0_choice);
  const Region of_node = scratch;
  const Region of_all = scratch + call.bytes;
  const Region beyond = scratch + call.bytes * 2;
  if (!at_home) co_yield inside.stream(of_first.low, {input, of_node, beyond});
  if (of_first.leads) co_yield between.stream(of_first.up, {at_home ? input : of_node, of_all, beyond});
  if (at_home) co_yield to_root.stream(of_root.low, {of_first.leads ? of_all : input, output, beyond});
}

}  // namespace orrery::collective::reduce
