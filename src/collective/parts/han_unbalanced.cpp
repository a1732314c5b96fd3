// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/han.hpp"

namespace orrery::collective {

/// Stream of one rank in a collective as Open MPI's component `han` makes it where nodes have unequal numbers of ranks:
/// at each call it looks anew whether they have, by an allreduce of three numbers among the nodes' first ranks and a
/// broadcast of two inside each node, and then leaves the call to the component that comes next.
op::Script han_unbalanced(Call call) {
  const TwoLevels levels(call, 0);
  Call numbers = call;
  numbers.element = int_bytes.count;
  const TeamCall compare = han_call(numbers, levels.up, CollectiveKind::Allreduce, int_bytes * 3);
  const TeamCall tell = han_call(numbers, levels.low, CollectiveKind::Bcast, int_bytes * 2);
  const Placed nowhere{.input = {}, .output = {}, .scratch = {}};
  if (levels.leads) co_yield compare.stream(levels.up, nowhere);
  co_yield tell.stream(levels.low, nowhere);
  Call flat = call;
  flat.places = nullptr;
  const Choice choice = call.parts != nullptr ? call.parts->choose(flat) : openmpi5_choice(flat);
  co_yield choice.algorithm->stream(choice.applied_to(flat));
}

}  // namespace orrery::collective
