// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/han.hpp"

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

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast as Open MPI's component `han` makes it: in segments, each from the root to the
/// ranks at its place of the other nodes, then inside each node, while the next one is on its way between nodes; as
/// many ranks on each node. Two nodes of 3 ranks, root 1:
///     1→4 | 1→0 4→3 | 1→2 4→5
/// Cost, s segments: s times that of the slower level, and one segment on the other.
op::Script han(Call call) {
  const TwoLevels levels(call, call.root);
  const Blocks segments = han_segments(call);
  const HanLevel first(call, levels.up, segments, CollectiveKind::Bcast, false);
  const HanLevel ahead(call, levels.up, segments, CollectiveKind::Bcast, true);
  const HanLevel inside(call, levels.low, segments, CollectiveKind::Bcast, false);
  for (int segment = 0; segment < segments.count(); ++segment) {
    const Placed here{.output = segments.at(output, segment).region};
    if (segment == 0 && levels.leads) co_yield first.stream(segment, here);
    op::Script down = inside.stream(segment, here);
    if (!levels.leads || segment + 1 == segments.count()) {
      co_yield std::move(down);
      continue;
    }
    const Placed next{.output = segments.at(output, segment + 1).region};
    op::Script across = ahead.stream(segment + 1, next);
    co_yield overlap(std::move(across), {}, std::move(down));
  }
}

/// Stream of one rank in a collective as Open MPI's component `han` makes it where nodes have unequal numbers of ranks:
/// at each call it looks anew whether they have, by an allreduce of three numbers among the nodes' first ranks and a
/// broadcast of two inside each node, and then leaves the call to the component that comes next.
op::Script han_unbalanced(Call call) {
  const TwoLevels levels(call, 0);
  Call numbers = call;
  numbers.element = int_bytes.count;
  const TeamCall compare = han_call(numbers, levels.up, CollectiveKind::Allreduce, int_bytes * 3);
  const TeamCall tell = han_call(numbers, levels.low, CollectiveKind::Bcast, int_bytes * 2);
  const Placed nowhere{.input = {}, .output = {}, .scratch = {}};
  if (levels.leads) co_yield compare.stream(levels.up, nowhere);
  co_yield tell.stream(levels.low, nowhere);
  Call flat = call;
  flat.places = nullptr;
  const Choice choice = call.parts != nullptr ? call.parts->choose(flat) : openmpi5_choice(flat);
  co_yield choice.algorithm->stream(choice.applied_to(flat));
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction as Open MPI's component `han` makes it: in segments, each inside the nodes to the
/// ranks at the root's place, then from these to the root, while the next one is reduced inside; as many ranks on each
/// node, operations that commute. Two nodes of 3 ranks, root 1:
///     0→1 3→4 | 2→1 5→4 | 4→1
/// Cost, s segments: s times that of the slower level, and one segment on the other.
op::Script han(Call call) {
  const TwoLevels levels(call, call.root);
  const Blocks segments = han_segments(call);
  const HanLevel inside(call, levels.low, segments, CollectiveKind::Reduce, false);
  const HanLevel between(call, levels.up, segments, CollectiveKind::Reduce, true);
  const Bytes slot = segments.count() > 0 ? segments.bytes(0) : Bytes{};
  const Region inner = scratch + slot * 2;
  const Region outer = inner + (levels.leads ? inside.scratch() : Bytes{});
  const auto up_to_leader = [&](int segment) {
    const Region result = scratch + slot * (segment % 2);
    return inside.stream(segment, {segments.at(input, segment).region, result, inner});
  };
  if (segments.count() > 0) co_yield up_to_leader(0);
  for (int segment = 0; segment < segments.count(); ++segment) {
    op::Script next;
    if (segment + 1 < segments.count()) next = up_to_leader(segment + 1);
    if (!levels.leads) {
      co_yield std::move(next);
      continue;
    }
    const Region own = scratch + slot * (segment % 2);
    op::Script across = between.stream(segment, {own, segments.at(output, segment).region, outer});
    co_yield overlap(std::move(across), {}, std::move(next));
  }
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce as Open MPI's component `han` makes it: in segments, each reduced inside the
/// nodes to their first ranks, reduced between these to the first of all, broadcast between them, and inside; four of
/// them under way, one at each station. Operations that commute. Two nodes of 3 ranks:
///     1→0 4→3 | 2→0 5→3 | 3→0 | 0→3 | 0→1 3→4 | 0→2 3→5
/// A broadcast and a reduction are between nodes at once, as ranks start both before what they do inside.
/// Cost, s segments: s + 3 times that of the slowest station.
op::Script han(Call call) {
  const TwoLevels levels(call, 0);
  const Blocks segments = han_segments(call);
  const HanLevel reduce_inside(call, levels.low, segments, CollectiveKind::Reduce, false);
  const HanLevel reduce_between(call, levels.up, segments, CollectiveKind::Reduce, true);
  const HanLevel bcast_between(call, levels.up, segments, CollectiveKind::Bcast, true);
  const HanLevel bcast_inside(call, levels.low, segments, CollectiveKind::Bcast, false);
  const Bytes slot = segments.count() > 0 ? segments.bytes(0) : Bytes{};
  const Region inner = scratch + slot * 2;
  const Region outer = inner + (levels.leads ? reduce_inside.scratch() + bcast_inside.scratch() : Bytes{});
  const Region outer_too = outer + (levels.leads ? bcast_between.scratch() : Bytes{});
  const auto exists = [&](int segment) { return segment >= 0 && segment < segments.count(); };
  for (int step = 0; step < segments.count() + 3; ++step) {
    op::Script reduction, result, low_reduction, low_result;
    if (levels.leads && exists(step - 2))
      result = bcast_between.stream(step - 2, {.output = segments.at(output, step - 2).region, .scratch = outer});
    if (levels.leads && exists(step - 1)) {
      const Region own = scratch + slot * ((step - 1) % 2);
      reduction = reduce_between.stream(step - 1, {own, segments.at(output, step - 1).region, outer_too});
    }
    if (exists(step)) {
      const Region own = scratch + slot * (step % 2);
      low_reduction = reduce_inside.stream(step, {segments.at(input, step).region, own, inner});
    }
    if (exists(step - 3))
      low_result = bcast_inside.stream(step - 3, {.output = segments.at(output, step - 3).region, .scratch = inner});
    op::Script inside = both(std::move(low_reduction), std::move(low_result));
    co_yield overlap(std::move(result), std::move(reduction), std::move(inside));
  }
}

}  // namespace orrery::collective::allreduce

namespace orrery::collective::gather {

/// Stream of one rank in a gather as Open MPI's component `han` makes it: inside the nodes to the ranks at the root's
/// place, then from these to the root, which puts the blocks into the order of ranks; as many ranks on each node.
/// Two nodes of 3 ranks, root 1:
///     0→1 3→4 | 2→1 5→4 | 4→1 (3 blocks)
/// Cost: the sum of both levels.
op::Script han(Call call) {
  const TwoLevels levels(call, call.root);
  const bool in_order = levels.nodes->consecutive();
  const Bytes node = call.bytes * levels.low.size();
  const TeamCall inside = han_call(call, levels.low, CollectiveKind::Gather, call.bytes);
  const TeamCall between = han_call(call, levels.up, CollectiveKind::Gather, node);
  const Region all = scratch + node;
  const Region beyond = in_order ? all : all + call.bytes * call.size;
  co_yield inside.stream(levels.low, {.output = scratch, .scratch = all});
  if (!levels.leads) co_return;
  const Placed across{.input = scratch, .output = in_order ? output : all, .scratch = beyond};
  co_yield between.stream(levels.up, across);
  if (call.self == call.root && !in_order)
    co_yield blocks_from_nodes(*levels.nodes, levels.up, all, output, call.bytes);
}

}  // namespace orrery::collective::gather

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
