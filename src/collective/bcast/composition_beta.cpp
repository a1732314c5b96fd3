// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast as MPICH makes it of messages of medium length on a power of two of ranks where
/// nodes have several of them: inside the root's node, then to the first ranks of all others, then inside these; if the
/// root is the first of its node, there last, too. Two nodes of 3 ranks, root 1:
///     1→2 | 1→0 | 0→3 | 3→5 | 3→4
/// Cost: that of both levels, and of the inner one once more unless the root is the first of its node.
op::Script composition_beta(Call call) {
  const Nodes& nodes = *call.places->nodes();
  const bool root_is_first = nodes.place(call.root) == 0;
  const TwoLevels of_root(call, call.root);
  const TwoLevels of_first(call, nodes.on(nodes.of(call.root))[0]);
  const bool at_home = nodes.of(call.self) == nodes.of(call.root);
  const TeamCall from_root(call, of_root.low, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  const TeamCall between(call, of_first.up, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  const TeamCall inside(call, of_first.low, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  if (at_home && !root_is_first) co_yield from_root.stream(of_root.low, {});
  if (of_first.leads) co_yield between.stream(of_first.up, {});
  if (!at_home || root_is_first) co_yield inside.stream(of_first.low, {});
}

}  // namespace orrery::collective::bcast
