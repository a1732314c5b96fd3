// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/han.hpp"

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

}  // namespace orrery::collective::bcast
