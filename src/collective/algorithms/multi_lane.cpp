// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/lanes.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast in lanes: the root scatters the vector among the ranks of its node, those at one
/// place of all nodes broadcast a block each, and the ranks of each node gather all blocks; any root, as many ranks on
/// each node. Two nodes of 2 ranks, halves a, b:
///     0→1 b | 0→2 a 1→3 b | 0↔1 2↔3
/// Cost, k ranks on a node: those of the three calls; between nodes, k messages of n/k bytes at once.
/// Source: Träff, Hunold 2020, doi:10.48550/arXiv.1910.13373
op::Script multi_lane(Call call) {
  const Lanes lanes(call, call.root);
  const Region own = lanes.own(output);
  const bool on_roots_node = lanes.on_roots_node();
  if (on_roots_node) {
    const TeamCall scatter = lanes.inside(CollectiveKind::Scatterv);
    co_yield scatter.stream(lanes.low(), {.input = output, .output = own});
  }
  const TeamCall between = lanes.between(CollectiveKind::Bcast);
  co_yield between.stream(lanes.up(), {.output = own});
  const TeamCall gather = lanes.inside(CollectiveKind::Allgatherv);
  co_yield gather.stream(lanes.low(), {.input = own});
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction in lanes: the ranks of each node reduce and scatter the vector, those at one place
/// of all nodes reduce a block each to the root's node, and the root gathers the blocks there; any root, as many ranks
/// on each node, commutative operation. Two nodes of 2 ranks, halves a, b:
///     0↔1 2↔3 | 2→0 a 3→1 b | 1→0 b
/// Cost, k ranks on a node: those of the three calls; between nodes, k messages of n/k bytes at once.
/// Source: Träff, Hunold 2020, doi:10.48550/arXiv.1910.13373
op::Script multi_lane(Call call) {
  const Lanes lanes(call, call.root);
  const Bytes block = lanes.block();
  const bool is_root = call.self == call.root;
  const TeamCall scatter = lanes.inside(CollectiveKind::ReduceScatter);
  co_yield scatter.stream(lanes.low(), {.output = scratch, .scratch = scratch + block});
  const Region own = is_root ? lanes.own(output) : scratch + block;
  const TeamCall between = lanes.between(CollectiveKind::Reduce);
  co_yield between.stream(lanes.up(), {scratch, own, scratch + block * 2});
  if (!lanes.on_roots_node()) co_return;
  const TeamCall gather = lanes.inside(CollectiveKind::Gatherv);
  co_yield gather.stream(lanes.low(), {.input = own, .scratch = scratch + block * 2});
}

}  // namespace orrery::collective::reduce

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
