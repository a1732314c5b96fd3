// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/grouped_blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::gather {

/// Stream of one rank in a gather from level to level; any size and root.
///
/// Each innermost group gathers at its master; masters gather what they have at the masters of the groups around them,
/// at the root at last, which puts blocks of groups whose ranks are not consecutive into their places. A segment size
/// cuts every block into slices that follow each other. Two sites of 3 ranks, root 0, by linear gathers:
///     1→0 2→0 4→3 5→3 | 3→0 (3 blocks)
/// Cost: the sum over the levels; groups of unequal size take linear gathers.
/// Source: Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2
op::Script hierarchical(Call call) {
  const Grouping& grouping = grouping_of(call);
  const std::vector<Stage> stages = grouping.stages(call.self, call.root);
  const Blocks slices = Blocks::segments(call.bytes, call.element, call.segment);
  const bool is_root = call.self == call.root;
  for (int slice = 0; slice < slices.count(); ++slice) {
    const Slice own = slices.at(input, slice);
    const bool in_place = is_root && grouping.in_rank_order() && slices.count() == 1;
    const GroupedBlocks blocks(call, stages, own.bytes, in_place ? output : scratch, in_place ? scratch : Region{});
    Region have = own.region;
    for (const Stage& stage : stages) {
      const std::vector<std::int64_t> counts = unequal_counts(grouping, stage, own.bytes);
      co_yield in_stage(call, stage, blocks.gather(stage, have, counts));
      have = blocks.of(stage.group);
    }
    if (stages.empty()) co_yield copy(slices.at(output, slice).region, own);
    if (!is_root || in_place || stages.empty()) continue;
    for (int position = 0; position < call.size; ++position) {
      const Region home = output + call.bytes * grouping.rank_at(position) + slices.offset(slice);
      co_yield copy(home, blocks.at(position));
    }
  }
}

}  // namespace orrery::collective::gather
