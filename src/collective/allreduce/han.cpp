// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/han.hpp"

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
