// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::scan {

/// Stream of one rank in a scan as MPICH makes it where nodes have several ranks, which follow each other: a scan
/// inside each node, whose last rank tells the first one the result; a scan of these; each hands its own to the next
/// one, and what came is broadcast inside the node and put before everyone's own; any associative operation. Two nodes
/// of 2:
///     0→1 2→3 | 1→0 3→2 | 0→2 | 0→2 | 0→1 2→3 (whether there is more) | 2→3
/// The immediate form knows whether there is more.
/// Cost: a scan and two broadcasts inside, a scan between nodes, and 2 (α + nβ) more.
op::Script composition_alpha(Call call) {
  const TwoLevels levels(call, 0);
  const TeamCall inside(call, levels.low, CollectiveKind::Scan, call.bytes, mpich_5_0_choice);
  const TeamCall between(call, levels.up, CollectiveKind::Scan, call.bytes, mpich_5_0_choice);
  const TeamCall tell(call, levels.low, CollectiveKind::Bcast, int_bytes, mpich_5_0_choice);
  const TeamCall spread(call, levels.low, CollectiveKind::Bcast, call.bytes, mpich_5_0_choice);
  const Slice of_node{scratch, call.bytes}, upto_node{scratch + call.bytes, call.bytes};
  const Slice before_node{scratch + call.bytes * 2, call.bytes};
  const Region beyond = scratch + call.bytes * 3;
  const std::span<const int> node = levels.low.ranks;
  const bool is_alone = node.size() == 1;
  const bool is_first_node = levels.nodes->of(call.self) == 0;
  const bool is_last_node = levels.nodes->of(call.self) == levels.nodes->count() - 1;
  co_yield inside.stream(levels.low, {input, output, beyond});
  if (!is_alone && call.self == node.back()) co_yield send(node.front(), {output, call.bytes});
  if (!is_alone && levels.leads) co_yield recv(node.back(), of_node);
  if (levels.leads) {
    const auto up = levels.up.ranks.begin() + levels.up.self;
    co_yield between.stream(levels.up, {is_alone ? output : of_node.region, upto_node.region, beyond});
    if (!is_last_node) co_yield send(*(up + 1), upto_node);
    if (!is_first_node) co_yield recv(*(up - 1), before_node);
  }
  if (!call.immediate) co_yield tell.stream(levels.low, {.output = {}});
  if (is_first_node) co_return;
  co_yield spread.stream(levels.low, {.output = before_node.region, .scratch = beyond});
  co_yield combine(output, before_node);
}

}  // namespace orrery::collective::scan
