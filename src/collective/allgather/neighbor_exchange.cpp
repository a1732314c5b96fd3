// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by neighbour exchange; the size must be even.
///
/// Neighbours exchange their own blocks, then each rank exchanges the pair of blocks that it received last with its two
/// neighbours in turn. p = 6; pairs of blocks a, b, c of ranks 0-1, 2-3, 4-5, named with the rank that receives them:
///     0↔1 2↔3 4↔5 | 1:b↔2:a 3:c↔4:b 5:a↔0:c | 0:b↔1:c 2:c↔3:a 4:a↔5:b
/// Cost: p/2 · α + (p − 1)nβ, n bytes per block.
/// Source: Chen, Zhang, Zhang, Yuan 2005, doi:10.1109/HPCASIA.2005.75
op::Script neighbor_exchange(Call call) {
  const int size = call.size;
  const bool even = call.self % 2 == 0;
  const int partner = call.self ^ 1;
  const int stranger = even ? before(call.self, 1, size) : after(call.self, 1, size);
  const Blocks blocks = Blocks::equal(call.bytes, size);
  const Blocks pairs = Blocks::equal(call.bytes * 2, size / 2);
  co_yield copy(blocks.at(output, call.self).region, {input, call.bytes});
  co_yield exchange(partner, blocks.at(output, call.self), partner, blocks.at(output, partner));

  int pair = call.self / 2;
  for (int step = 1; step < size / 2; ++step) {
    const Slice out = pairs.at(output, pair);
    const bool with_stranger = step % 2 == 1;
    // The pair that arrives lies one further away with each two steps, and on the side of the rank that brings it.
    pair = with_stranger == even ? before(call.self / 2, (step + 1) / 2, size / 2)
                                 : after(call.self / 2, (step + 1) / 2, size / 2);
    const int peer = with_stranger ? stranger : partner;
    co_yield exchange(peer, out, peer, pairs.at(output, pair));
  }
}

}  // namespace orrery::collective::allgather
