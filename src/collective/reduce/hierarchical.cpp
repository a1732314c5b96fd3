// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/climb.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction from level to level; any size and root. Operations that do not commute need groups
/// of consecutive ranks.
///
/// Each innermost group reduces to its master; masters do the same in the groups around them, to the root at last. A
/// segment size cuts the vector into slices that follow each other. Two sites of 3 ranks, root 0, by binomial trees:
///     1→0 4→3 | 2→0 5→3 | 3→0
/// Cost: the sum over the levels.
/// Source: Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2
op::Script hierarchical(Call call) {
  const std::vector<Stage> stages = grouping_of(call).stages(call.self, call.root);
  if (stages.empty()) co_yield copy(output, {input, call.bytes});
  const Blocks slices = Blocks::segments(call.bytes, call.element, call.segment);
  for (int slice = 0; slice < slices.count(); ++slice) {
    Climb climb(slices.at(input, slice));
    for (const Stage& stage : stages) {
      const Region result = is_outermost(stage) ? slices.at(output, slice).region : climb.next();
      co_yield in_stage(call, stage, climb.reduction(CollectiveKind::Reduce, result));
      climb.reached(result);
    }
  }
}

}  // namespace orrery::collective::reduce
