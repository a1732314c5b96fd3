// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/stage.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast from level to level; any size and root.
///
/// The root broadcasts to the masters of the outermost groups, each of which does the same in its group. A segment size
/// cuts the vector into slices that follow each other, so that one level sends a slice while the next ones are busy
/// with those before. Two sites of 3 ranks, root 0, both levels by binomial trees:
///     0→3 | 0→2 3→5 | 0→1 3→4
/// Cost of one slice: the sum over the levels; of many: that of the slowest level, and of one slice on the others.
/// Source: Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2
op::Script hierarchical(Call call) {
  const std::vector<Stage> stages = grouping_of(call).stages(call.self, call.root);
  const Blocks slices = Blocks::segments(call.bytes, call.element, call.segment);
  for (int slice = 0; slice < slices.count(); ++slice) {
    const Slice data = slices.at(output, slice);
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      const StageCall part{CollectiveKind::Bcast, data.bytes, {.output = data.region}};
      co_yield in_stage(call, *stage, part);
    }
  }
}

}  // namespace orrery::collective::bcast
