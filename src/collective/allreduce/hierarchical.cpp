// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/climb.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce from level to level; any size. Operations that do not commute need groups of
/// consecutive ranks.
///
/// Groups reduce to their masters from the innermost level out; those of the outermost level make an allreduce; then
/// each group broadcasts. With one level, nodes, this is what MPICH does between and inside nodes, and Open MPI's HAN.
/// A segment size cuts the vector into slices that follow each other. Two sites of 3 ranks:
///     1→0 4→3 | 2→0 5→3 | 0↔3 | 0→2 3→5 | 0→1 3→4
/// Cost: the sum over the levels, twice for all but the outermost.
/// Source: Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2
op::Script hierarchical(Call call) {
  call.root = 0;
  const std::vector<Stage> stages = grouping_of(call).stages(call.self, call.root);
  if (stages.empty()) co_yield copy(output, {input, call.bytes});
  const Blocks slices = Blocks::segments(call.bytes, call.element, call.segment);
  for (int slice = 0; slice < slices.count(); ++slice) {
    Climb climb(slices.at(input, slice));
    const Slice result = slices.at(output, slice);
    for (const Stage& stage : stages) {
      const Region reduced = is_outermost(stage) ? result.region : climb.next();
      const CollectiveKind kind = is_outermost(stage) ? CollectiveKind::Allreduce : CollectiveKind::Reduce;
      co_yield in_stage(call, stage, climb.reduction(kind, reduced));
      climb.reached(reduced);
    }
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      if (is_outermost(*stage)) continue;
      const StageCall part{CollectiveKind::Bcast, result.bytes, {.output = result.region}};
      co_yield in_stage(call, *stage, part);
    }
  }
}

}  // namespace orrery::collective::allreduce
