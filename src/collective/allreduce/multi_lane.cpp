// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/lanes.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce in lanes: the ranks of each node reduce and scatter the vector, those at one
/// place of all nodes make an allreduce of a block each, and the ranks of each node gather all blocks; as many ranks on
/// each node, commutative operation. Two nodes of 2 ranks, halves a, b:
///     0↔1 2↔3 | 0↔2 a 1↔3 b | 0↔1 2↔3
/// Cost, k ranks on a node: those of the three calls; between nodes, k messages of n/k bytes at once.
/// Source: Träff, Hunold 2020, doi:10.48550/arXiv.1910.13373
op::Script multi_lane(Call call) {
  const Lanes lanes(call, 0);
  const Region own = lanes.own(output);
  const Region spare = scratch + lanes.block();
  const TeamCall scatter = lanes.inside(CollectiveKind::ReduceScatter);
  co_yield scatter.stream(lanes.low(), {.output = scratch, .scratch = spare});
  const TeamCall between = lanes.between(CollectiveKind::Allreduce);
  co_yield between.stream(lanes.up(), {scratch, own, spare});
  const TeamCall gather = lanes.inside(CollectiveKind::Allgatherv);
  co_yield gather.stream(lanes.low(), {.input = own});
}

}  // namespace orrery::collective::allreduce
