// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast as MPICH makes it of short messages where nodes have several ranks: from the root
/// to the first rank of its node, from there to the first ranks of all nodes, and inside each node, to the root again,
/// too; any size and root. Two nodes of 3 ranks, root 1:
///     1→0 | 0→3 | 0→2 3→5 | 0→1 3→4
/// Cost: the sum of both levels, α + nβ more unless the root is the first of its node.
op::Script composition_alpha(Call call) {
  const Nodes& nodes = *call.places->nodes();
  const int first_of_root = nodes.on(nodes.of(call.root))[0];
  const TwoLevels levels(call, first_of_root);
  const Slice data{output, call.bytes};
  if (call.root != first_of_root && call.self == call.root) co_yield send(first_of_root, data);
  if (call.root != first_of_root && call.self == first_of_root) co_yield recv(call.root, data);
  const TeamCall between(call, levels.up, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  const TeamCall inside(call, levels.low, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  if (levels.leads) co_yield between.stream(levels.up, {});
  co_yield inside.stream(levels.low, {});
}

}  // namespace orrery::collective::bcast
