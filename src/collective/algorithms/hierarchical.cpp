// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/climb.hpp"
#include "collective/parts/grouped_blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/sliced.hpp"
#include "collective/parts/stage.hpp"

namespace orrery::collective::barrier {

namespace {

/// The master lets the others of its stage go, along a binomial tree.
op::Script release(int self, FromRoot ranks) {
  const BinomialNode node{ranks.relative(self), ranks.size};
  if (node.relative != 0) co_yield await_signal(ranks.rank(node.parent()));
  for (int distance = node.reach() / 2; distance >= 1; distance /= 2)
    if (node.has_child(distance)) co_yield signal(ranks.rank(node.child(distance)));
}

op::Script released_in(const Call& call, const Stage& stage) {
  return embed(release(stage.self, {stage.count, stage.root}), {}, {&grouping_of(call), stage.group, call.root});
}

}  // namespace

/// Stream of one rank in a barrier from level to level; any size.
///
/// Each group makes a barrier, from the innermost level out; when that of the outermost one is over all have come, and
/// masters say so to their groups. Two sites of 3 ranks, by dissemination:
///     0→1→2→0 3→4→5→3 | 0→2→1→0 3→5→4→3 | 0↔3 | 0→2 3→5 | 0→1 3→4
/// Cost: the sum over the levels, with ⌈log2 p⌉ · α more for each but the outermost.
/// Source: Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2
op::Script hierarchical(Call call) {
  call.root = 0;
  const std::vector<Stage> stages = grouping_of(call).stages(call.self, call.root);
  for (const Stage& stage : stages) {
    const StageCall part{CollectiveKind::Barrier, {}, {}};
    co_yield in_stage(call, stage, part);
  }
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage)
    if (!is_outermost(*stage)) co_yield released_in(call, *stage);
}

}  // namespace orrery::collective::barrier

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
