// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/sliced.hpp"
#include "collective/parts/stage.hpp"

namespace orrery::collective::alltoall {

namespace {

using Group = Grouping::Group;

/// Scratch memory, taken piece by piece.
struct Room {
  Region next = scratch;

  Region take(Bytes bytes) {
    const Region taken = next;
    next = next + bytes;
    return taken;
  }
};

/// Blocks from the ranks of one subgroup to ranks outside of it, by the position of the source, then of the
/// destination.
struct Leaving {
  const Group* from;
  Region base;
  Bytes block;
  int size;  ///< ranks of the call

  [[nodiscard]] Region at(int source, int destination) const {
    const int column = destination < from->begin ? destination : destination - from->ranks;
    return base + block * (std::int64_t{source} * (size - from->ranks) + column);
  }
};

int end(const Group& group) { return group.begin + group.ranks; }

/// Sorts what leaves a subgroup: what goes to its siblings, one after the other, into `across`, the rest into
/// `further`.
op::Script sort_leaving(const Grouping* grouping, Stage stage, Leaving leaving, Region across, Region further) {
  const Group& whole = grouping->group(stage.group);
  const Group& own = *leaving.from;
  const Bytes block = leaving.block;
  const int outside = leaving.size - whole.ranks;
  for (int source = 0; source < own.ranks; ++source) {
    Region into = across;
    for (int child = whole.first_child; child < whole.first_child + whole.children; ++child) {
      const Group& to = grouping->group(child);
      if (&to == &own) continue;
      co_yield copy(into + block * (source * to.ranks), {leaving.at(source, to.begin), block * to.ranks});
      into = into + block * (std::int64_t{own.ranks} * to.ranks);
    }
    const Region row = further + block * (std::int64_t{source} * outside);
    if (whole.begin > 0) co_yield copy(row, {leaving.at(source, 0), block * whole.begin});
    if (end(whole) == leaving.size) continue;
    co_yield copy(row + block * whole.begin, {leaving.at(source, end(whole)), block * (leaving.size - end(whole))});
  }
}

/// Sorts what comes to a group from outside, by source, into one part for each subgroup.
op::Script sort_coming(const Grouping* grouping, Stage stage, Region coming, Region parts, Bytes block, int sources) {
  const Group& whole = grouping->group(stage.group);
  for (int child = whole.first_child; child < whole.first_child + whole.children; ++child) {
    const Group& to = grouping->group(child);
    for (int source = 0; source < sources; ++source) {
      const Region from = coming + block * (std::int64_t{source} * whole.ranks + to.begin - whole.begin);
      co_yield copy(parts + block * (std::int64_t{source} * to.ranks), {from, block * to.ranks});
    }
    parts = parts + block * (std::int64_t{sources} * to.ranks);
  }
}

/// What comes to a subgroup, by source: from outside of its group (`beyond`) and from its siblings (`arrived`).
op::Script merge_coming(const Group* whole, const Group* own, Region into, Region beyond, Region arrived, Bytes row,
                        int size) {
  const int before = own->begin - whole->begin;
  const int behind = end(*whole) - end(*own);
  co_yield copy(into, {beyond, row * whole->begin});
  co_yield copy(into + row * whole->begin, {arrived, row * before});
  co_yield copy(into + row * own->begin, {arrived + row * before, row * behind});
  co_yield copy(into + row * (end(*whole) - own->ranks), {beyond + row * whole->begin, row * (size - end(*whole))});
}

/// Bytes to each subgroup of the stage from this one, then from each.
std::vector<std::int64_t> counts_across(const Grouping& grouping, const Stage& stage, Bytes block) {
  const int first = grouping.group(stage.group).first_child;
  std::vector<std::int64_t> counts;
  for (int child = first; child < first + stage.count; ++child) {
    const std::int64_t pairs = std::int64_t{grouping.group(child).ranks} * grouping.group(first + stage.self).ranks;
    counts.push_back(child == first + stage.self ? 0 : pairs * block.count);
  }
  counts.insert(counts.end(), counts.begin(), counts.begin() + stage.count);
  return counts;
}

}  // namespace

/// Stream of one rank in an all-to-all from level to level; any size.
///
/// From the innermost level out the masters of subgroups exchange what goes from one to the other, one message for each
/// pair and direction, and hand what leaves their group to its master; then what came from outside goes in again, from
/// master to master. A segment size cuts every block into slices, several of which are under way at once. Two sites of
/// 2 ranks, with blocks per message:
///     0↔1 2↔3 (1) | 1→0 3→2 (2) | 0↔2 (4) | 0→1 2→3 (2)
/// Cost: the sum over the levels; the master of g of p ranks moves g (p − g) blocks in and out, and copies them.
/// Source: after Coti, Herault, Cappello 2008, INRIA research report 6633, section 3.2, where all get what came
op::Script hierarchical(Call call) {
  if (has_slices(call)) {
    co_yield in_slices(call, Gives::BlockToEach);
    co_return;
  }
  call.root = 0;
  const Grouping* grouping = &grouping_of(call);
  const std::vector<Stage> stages = grouping->stages(call.self, call.root);
  const Bytes block = call.bytes;
  const int place = grouping->position(call.self);
  Room room;
  Leaving leaving{&grouping->group(grouping->leaf(call.self)), room.take(block * (call.size - 1)), block, call.size};
  co_yield copy(output + block * call.self, {input + block * call.self, block});
  for (int to = 0; to < call.size; ++to)
    if (to != place) co_yield copy(leaving.at(0, to), {input + block * grouping->rank_at(to), block});

  std::vector<Region> arrived;
  for (const Stage& stage : stages) {
    const Group& whole = grouping->group(stage.group);
    const std::int64_t own = leaving.from->ranks;
    const int outside = call.size - whole.ranks;
    const Region across = room.take(block * (own * (whole.ranks - own)));
    const Region further = room.take(block * (own * outside));
    co_yield sort_leaving(grouping, stage, leaving, across, further);
    arrived.push_back(room.take(block * (own * (whole.ranks - own))));
    const std::vector<std::int64_t> pairs = counts_across(*grouping, stage, block);
    const StageCall exchange{
        CollectiveKind::Alltoallv, {}, {.input = across, .output = arrived.back(), .scratch = room.next}, pairs};
    co_yield in_stage(call, stage, exchange);
    if (is_outermost(stage)) break;
    const std::vector<std::int64_t> counts = unequal_counts(*grouping, stage, block * outside);
    leaving = {&whole, room.take(block * (std::int64_t{whole.ranks} * outside)), block, call.size};
    const StageCall up{counts.empty() ? CollectiveKind::Gather : CollectiveKind::Gatherv,
                       block * (own * outside),
                       {.input = further, .output = leaving.base, .scratch = room.next},
                       counts};
    co_yield in_stage(call, stage, up);
  }

  Region coming;
  for (std::size_t i = stages.size(); i-- > 0;) {
    const Stage& stage = stages[i];
    const Group& whole = grouping->group(stage.group);
    const Group& own = grouping->group(whole.first_child + stage.self);
    const int outside = call.size - whole.ranks;
    const Region beyond = room.take(block * (std::int64_t{own.ranks} * outside));
    if (!is_outermost(stage)) {
      const Region parts = room.take(block * (std::int64_t{whole.ranks} * outside));
      if (leads(stage)) co_yield sort_coming(grouping, stage, coming, parts, block, outside);
      const std::vector<std::int64_t> counts = unequal_counts(*grouping, stage, block * outside);
      const StageCall down{counts.empty() ? CollectiveKind::Scatter : CollectiveKind::Scatterv,
                           block * (std::int64_t{own.ranks} * outside),
                           {.input = parts, .output = beyond, .scratch = room.next},
                           counts};
      co_yield in_stage(call, stage, down);
    }
    coming = room.take(block * (std::int64_t{own.ranks} * (call.size - own.ranks)));
    co_yield merge_coming(&whole, &own, coming, beyond, arrived[i], block * own.ranks, call.size);
  }
  for (int from = 0; from < call.size; ++from) {
    const Slice arriving{coming + block * (from < place ? from : from - 1), block};
    if (from != place) co_yield copy(output + block * grouping->rank_at(from), arriving);
  }
}

}  // namespace orrery::collective::alltoall
