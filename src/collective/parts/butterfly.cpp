// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/butterfly.hpp"

#include <utility>

#include "collective/parts/fold.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

int reversed(int number, int power) {
  int result = 0;
  for (int bit = 1; bit < power; bit *= 2) result = result * 2 + ((number & bit) != 0 ? 1 : 0);
  return result;
}

}  // namespace

op::Script butterfly_reduce_scatter(int self, Blocks blocks) {
  const Fold fold(self, blocks.count());
  const Slice whole = blocks.all(scratch);
  Region own = scratch;
  Region incoming = scratch + whole.bytes;
  if (blocks.count() == 1) {
    co_yield copy(output, blocks.all(input));
    co_return;
  }
  co_yield copy(own, blocks.all(input));
  if (!fold.remains()) {
    co_yield send(fold.neighbour(), whole);
    const int home = reversed(fold.number(), fold.power());
    co_yield recv_even_empty(fold.rank(home), {output, blocks.bytes(self)});
    co_return;
  }
  if (fold.paired()) {
    co_yield recv(fold.neighbour(), {incoming, whole.bytes});
    co_yield combine(own, {incoming, whole.bytes});
  }
  const auto ranks_of = [&](BlockRange numbers) {
    return BlockRange{fold.first_rank(numbers.first), fold.first_rank(numbers.last)};
  };
  BlockRange window{0, fold.power()};
  for (int distance = 1; distance < fold.power(); distance *= 2) {
    const bool upper = (fold.number() & distance) != 0;
    const int peer = fold.rank(fold.number() ^ distance);
    const BlockRange kept = ranks_of(window.half(upper));
    const Slice arrived = blocks.range(incoming, kept);
    co_yield exchange_even_empty(peer, blocks.range(own, ranks_of(window.half(!upper))), peer, arrived);
    if (self < peer) {
      co_yield combine(arrived.region, blocks.range(own, kept));
      std::swap(own, incoming);
    } else {
      co_yield combine(blocks.range(own, kept).region, arrived);
    }
    window = window.half(upper);
  }
  // What is left here is the block, or the pair of blocks, of the number with the bits reversed.
  const int home = window.first;
  const int owner = fold.rank(home);
  if (home < fold.surplus()) co_yield send_even_empty(owner - 1, blocks.at(own, owner - 1));
  if (owner == self) {
    co_yield copy(output, blocks.at(own, self));
  } else {
    co_yield exchange_even_empty(owner, blocks.at(own, owner), owner, {output, blocks.bytes(self)});
  }
}

op::Script permuted_butterfly(int self, Blocks blocks) {
  const int size = blocks.count();
  Region own = scratch;
  Region incoming = scratch + blocks.total();
  for (int block = 0; block < size; ++block)
    co_yield copy(blocks.at(own, reversed(block, size)).region, blocks.at(input, block));
  BlockRange window{0, size};
  for (int distance = 1; distance < size; distance *= 2) {
    const bool upper = (self & distance) != 0;
    const int peer = self ^ distance;
    const Slice arrived = blocks.range(incoming, window.half(upper));
    const Slice kept = blocks.range(own, window.half(upper));
    co_yield exchange(peer, blocks.range(own, window.half(!upper)), peer, arrived);
    if (self < peer) {
      co_yield combine(arrived.region, kept);
      std::swap(own, incoming);
    } else {
      co_yield combine(kept.region, arrived);
    }
    window = window.half(upper);
  }
  co_yield copy(output, blocks.at(own, window.first));
}

}  // namespace orrery::collective
