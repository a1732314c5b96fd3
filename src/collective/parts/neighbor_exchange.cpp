// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/neighbor_exchange.hpp"

#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective {

op::Script neighbor_exchange_allgather(int self, Blocks blocks) {
  const int size = blocks.count();
  const bool even = self % 2 == 0;
  const int partner = self ^ 1;
  const int stranger = even ? before(self, 1, size) : after(self, 1, size);
  const auto pair_of = [&](int pair) { return blocks.range(output, {2 * pair, 2 * pair + 2}); };
  co_yield copy(blocks.at(output, self).region, {input, blocks.bytes(self)});
  co_yield exchange(partner, blocks.at(output, self), partner, blocks.at(output, partner));

  int pair = self / 2;
  for (int step = 1; step < size / 2; ++step) {
    const Slice out = pair_of(pair);
    const bool with_stranger = step % 2 == 1;
    // The pair that arrives lies one further away with each two steps, and on the side of the rank that brings it.
    pair =
        with_stranger == even ? before(self / 2, (step + 1) / 2, size / 2) : after(self / 2, (step + 1) / 2, size / 2);
    const int peer = with_stranger ? stranger : partner;
    co_yield exchange(peer, out, peer, pair_of(pair));
  }
}

}  // namespace orrery::collective
