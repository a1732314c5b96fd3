// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/han.hpp"

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
