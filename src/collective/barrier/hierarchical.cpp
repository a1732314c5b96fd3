// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/messages.hpp"
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
