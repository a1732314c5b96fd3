// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/climb.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/sliced.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce from level to level; any size. Operations that do not commute need groups of
/// consecutive ranks.
///
/// Groups reduce to their masters from the innermost level out; those of the outermost level make an allreduce; then
/// each group broadcasts. With one level, nodes, this is what MPICH does between and inside nodes, and Open MPI's HAN.
/// A segment size cuts the vector into slices, several of which are under way at once. Two sites of 3 ranks:
///     1→0 4→3 | 2→0 5→3 | 0↔3 | 0→2 3→5 | 0→1 3→4
/// Cost: the sum over the levels, twice for all but the outermost.
/// Source: Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2
op::Script hierarchical(Call call) {
  if (has_slices(call)) {
    co_yield in_slices(call, Gives::Operand);
    co_return;
  }
  call.root = 0;
  const std::vector<Stage> stages = grouping_of(call).stages(call.self, call.root);
  if (stages.empty()) co_yield copy(output, {input, call.bytes});
  Climb climb({input, call.bytes});
  for (const Stage& stage : stages) {
    const Region reduced = is_outermost(stage) ? output : climb.next();
    const CollectiveKind kind = is_outermost(stage) ? CollectiveKind::Allreduce : CollectiveKind::Reduce;
    co_yield in_stage(call, stage, climb.reduction(kind, reduced));
    climb.reached(reduced);
  }
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    if (is_outermost(*stage)) continue;
    const StageCall part{CollectiveKind::Bcast, call.bytes, {.output = output}};
    co_yield in_stage(call, *stage, part);
  }
}

}  // namespace orrery::collective::allreduce
