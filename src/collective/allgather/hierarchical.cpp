// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/grouped_blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/sliced.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather from level to level; any size.
///
/// Groups gather at their masters from the innermost level out; those of the outermost level make an allgather; then
/// each group broadcasts all blocks, and where groups are not of consecutive ranks everyone puts them into their
/// places. With one level, nodes, this is what MPICH does between and inside nodes. A segment size cuts every block
/// into slices, several of which are under way at once. Two sites of 3 ranks:
///     1→0 2→0 4→3 5→3 | 0↔3 (3 blocks) | 0→2 3→5 (6 blocks) | 0→1 3→4
/// Cost: the sum over the levels.
/// Source: Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2
op::Script hierarchical(Call call) {
  if (has_slices(call)) {
    co_yield in_slices(call, Gives::OneBlock);
    co_return;
  }
  call.root = 0;
  const Grouping& grouping = grouping_of(call);
  const std::vector<Stage> stages = grouping.stages(call.self, call.root);
  const bool in_place = grouping.in_rank_order();
  const Slice all{in_place ? output : scratch, call.bytes * call.size};
  const GroupedBlocks blocks = GroupedBlocks::all(call, all.region, in_place ? scratch : scratch + all.bytes);
  Region have = input;
  for (const Stage& stage : stages) {
    const std::vector<std::int64_t> counts = unequal_counts(grouping, stage, call.bytes);
    const StageCall up = blocks.gather(stage, have, counts);
    const StageCall across = blocks.allgather(stage, have, counts);
    co_yield in_stage(call, stage, is_outermost(stage) ? across : up);
    have = blocks.of(stage.group);
  }
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    if (is_outermost(*stage)) continue;
    const StageCall part{CollectiveKind::Bcast, all.bytes, {.output = all.region}};
    co_yield in_stage(call, *stage, part);
  }
  if (stages.empty()) co_yield copy(output, {input, call.bytes});
  for (int position = 0; !in_place && position < call.size; ++position)
    co_yield copy(output + call.bytes * grouping.rank_at(position), blocks.at(position));
}

}  // namespace orrery::collective::allgather
