// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "collective/parts/stage.hpp"

namespace orrery::collective {

/// One block for each rank, in the order of positions, so that those of every group lie together. A rank has those of
/// the outermost group that it speaks for.
class GroupedBlocks {
 public:
  using Counts = std::span<const std::int64_t>;

  /// @param stages of this rank, innermost first   @param base where its first block lies
  /// @param scratch_after where algorithms may have temporary memory; none: behind the blocks
  GroupedBlocks(const Call& call, std::span<const Stage> stages, Bytes block, Region base, Region scratch_after = {});
  /// A rank that has all blocks of the call, from `base` on.
  static GroupedBlocks all(const Call& call, Region base, Region scratch_after);

  [[nodiscard]] Slice at(int position) const { return {zero_ + block_ * position, block_}; }
  /// The blocks of a group.
  [[nodiscard]] Region of(int group) const { return at(grouping_->group(group).begin).region; }
  /// Those of the subgroup that this rank speaks for.
  [[nodiscard]] Region of_child(const Stage& stage) const {
    return of(grouping_->group(stage.group).first_child + stage.self);
  }

  /// Masters hand over the blocks of their subgroups. @param own where those of this rank's lie
  [[nodiscard]] StageCall gather(const Stage& stage, Region own, Counts counts) const {
    const Placed buffers{.input = own, .output = of(stage.group), .scratch = free_};
    return part(CollectiveKind::Gather, CollectiveKind::Gatherv, stage, buffers, counts);
  }
  /// They get them. @param into where those of this rank's go
  [[nodiscard]] StageCall scatter(const Stage& stage, Region into, Counts counts) const {
    const Placed buffers{.input = of(stage.group), .output = into, .scratch = free_};
    return part(CollectiveKind::Scatter, CollectiveKind::Scatterv, stage, buffers, counts);
  }
  /// All get all.
  [[nodiscard]] StageCall allgather(const Stage& stage, Region own, Counts counts) const {
    const Placed buffers{.input = own, .output = of(stage.group), .scratch = free_};
    return part(CollectiveKind::Allgather, CollectiveKind::Allgatherv, stage, buffers, counts);
  }

 private:
  [[nodiscard]] StageCall part(CollectiveKind equal, CollectiveKind unequal, const Stage& stage, Placed buffers,
                               Counts counts) const;

  const Grouping* grouping_;
  Bytes block_;
  Region zero_;  ///< where position 0 would be
  Region free_;
};

}  // namespace orrery::collective
