// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/grouped_blocks.hpp"

namespace orrery::collective {

GroupedBlocks::GroupedBlocks(const Call& call, std::span<const Stage> stages, Bytes block, Region base,
                             Region scratch_after)
    : grouping_(&grouping_of(call)), block_(block), free_(scratch_after) {
  int outermost = grouping_->leaf(call.self);
  for (const Stage& stage : stages)
    if (leads(stage)) outermost = stage.group;
  const Grouping::Group& held = grouping_->group(outermost);
  zero_ = base - block.count * held.begin;
  if (free_.buffer == op::Buffer::None) free_ = base + block * held.ranks;
}

GroupedBlocks GroupedBlocks::all(const Call& call, Region base, Region scratch_after) {
  GroupedBlocks blocks(call, {}, call.bytes, base, scratch_after);
  blocks.zero_ = base;
  return blocks;
}

StageCall GroupedBlocks::part(CollectiveKind equal, CollectiveKind unequal, const Stage& stage, Placed buffers,
                              std::span<const std::int64_t> counts) const {
  const int child = grouping_->group(stage.group).first_child + stage.self;
  return {counts.empty() ? equal : unequal, block_ * grouping_->group(child).ranks, buffers, counts};
}

}  // namespace orrery::collective
