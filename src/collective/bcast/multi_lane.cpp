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
