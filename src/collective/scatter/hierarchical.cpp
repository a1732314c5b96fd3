// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/grouped_blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::scatter {

/// Stream of one rank in a scatter from level to level; any size and root: the gather, backwards. The root sends the
/// master of each outermost group the blocks of that group, having sorted them if its ranks are not consecutive. A
/// segment size cuts every block into slices that follow each other. Two sites of 3 ranks, root 0, by linear scatters:
///     0→3 (3 blocks) | 0→1 0→2 3→4 3→5
/// Cost: the sum over the levels; groups of unequal size take linear scatters.
op::Script hierarchical(Call call) {
  const Grouping& grouping = grouping_of(call);
  const std::vector<Stage> stages = grouping.stages(call.self, call.root);
  const Blocks slices = Blocks::segments(call.bytes, call.element, call.segment);
  const bool is_root = call.self == call.root;
  for (int slice = 0; slice < slices.count(); ++slice) {
    const Slice own = slices.at(output, slice);
    const bool in_place = is_root && grouping.in_rank_order() && slices.count() == 1;
    const GroupedBlocks blocks(call, stages, own.bytes, scratch);
    for (int position = 0; is_root && !in_place && position < call.size; ++position) {
      const Region home = input + call.bytes * grouping.rank_at(position) + slices.offset(slice);
      co_yield copy(blocks.at(position).region, {home, own.bytes});
    }
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      const std::vector<std::int64_t> counts = unequal_counts(grouping, *stage, own.bytes);
      const bool innermost = stage + 1 == stages.rend();
      const Region into = innermost ? own.region : blocks.of_child(*stage);
      StageCall part = blocks.scatter(*stage, into, counts);
      if (in_place && is_outermost(*stage)) part.buffers.input = input;
      co_yield in_stage(call, *stage, part);
    }
    if (stages.empty()) co_yield copy(own.region, slices.at(input, slice));
  }
}

}  // namespace orrery::collective::scatter
