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

namespace orrery::collective::scan {

/// Stream of one rank in a scan as MPICH makes it where nodes have several ranks, which follow each other: a scan
/// inside each node, whose last rank tells the first one the result; a scan of these; each hands its own to the next
/// one, and what came is broadcast inside the node and put before everyone's own; any associative operation. Two nodes
/// of 2:
///     0→1 2→3 | 1→0 3→2 | 0→2 | 0→2 | 0→1 2→3 (whether there is more) | 2→3
/// The immediate form knows whether there is more.
/// Cost: a scan and two broadcasts inside, a scan between nodes, and 2 (α + nβ) more.
op::Script composition_alpha(Call call) {
  const TwoLevels levels(call, 0);
  const TeamCall inside(call, levels.low, CollectiveKind::Scan, call.bytes, mpich_5_0_choice);
  const TeamCall between(call, levels.up, CollectiveKind::Scan, call.bytes, mpich_5_0_choice);
  const TeamCall tell(call, levels.low, CollectiveKind::Bcast, int_bytes, mpich_5_0_choice);
  const TeamCall spread(call, levels.low, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  const Slice of_node{scratch, call.bytes}, upto_node{scratch + call.bytes, call.bytes};
  const Slice before_node{scratch + call.bytes * 2, call.bytes};
  const Region beyond = scratch + call.bytes * 3;
  const std::span<const int> node = levels.low.ranks;
  const bool is_alone = node.size() == 1;
  const bool is_first_node = levels.nodes->of(call.self) == 0;
  const bool is_last_node = levels.nodes->of(call.self) == levels.nodes->count() - 1;
  co_yield inside.stream(levels.low, {input, output, beyond});
  if (!is_alone && call.self == node.back()) co_yield send(node.front(), {output, call.bytes});
  if (!is_alone && levels.leads) co_yield recv(node.back(), of_node);
  if (levels.leads) {
    const auto up = levels.up.ranks.begin() + levels.up.self;
    co_yield between.stream(levels.up, {is_alone ? output : of_node.region, upto_node.region, beyond});
    if (!is_last_node) co_yield send(*(up + 1), upto_node);
    if (!is_first_node) co_yield recv(*(up - 1), before_node);
  }
  if (!call.immediate) co_yield tell.stream(levels.low, {.output = {}});
  if (is_first_node) co_return;
  co_yield spread.stream(levels.low, {.output = before_node.region, .scratch = beyond});
  co_yield combine(output, before_node);
}

}  // namespace orrery::collective::scan
