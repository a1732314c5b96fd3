// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/reduce_scatter.hpp"

#include "collective/parts/accumulator.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/fold.hpp"
#include "collective/parts/linear.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

/// The blocks of the ranks for which the numbers [first, last) stand.
BlockRange blocks_of(const Fold& fold, BlockRange numbers) {
  return {fold.first_rank(numbers.first), fold.first_rank(numbers.last)};
}

}  // namespace

op::Script halving_reduce_scatter(int self, Blocks blocks) {
  const Fold fold(self, blocks.count());
  Accumulator accumulator(self, /*commutative=*/true, scratch, scratch + blocks.total());
  co_yield fold_in(fold, &accumulator, blocks.total());
  if (!fold.remains()) {
    co_yield recv(fold.neighbour(), {output, blocks.bytes(self)});
    co_return;
  }
  BlockRange own{0, fold.power()};
  for (int distance = fold.power() / 2; distance >= 1; distance /= 2) {
    const int peer = fold.rank(fold.number() ^ distance);
    const bool upper = (fold.number() & distance) != 0;
    const BlockRange kept = own.half(upper);
    const Slice given = blocks.range(accumulator.value(), blocks_of(fold, own.half(!upper)));
    const Slice arrived = blocks.range(accumulator.incoming(), blocks_of(fold, kept));
    co_yield exchange(peer, given, peer, arrived);
    co_yield accumulator.absorb_from(peer, arrived);
    own = kept;
  }
  co_yield copy(output, blocks.at(accumulator.value(), self));
  if (fold.paired()) co_yield send(fold.neighbour(), blocks.at(accumulator.value(), fold.neighbour()));
}

op::Script pairwise_reduce_scatter(int self, Blocks blocks) {
  const int size = blocks.count();
  const Slice own = blocks.at(input, self);
  co_yield copy(output, own);
  for (int distance = 1; distance < size; ++distance) {
    const int to = after(self, distance, size);
    const Slice arrived{scratch, own.bytes};
    co_yield exchange(to, blocks.at(input, to), before(self, distance, size), arrived);
    co_yield combine(output, arrived);
  }
}

op::Script reduce_then_scatter(int self, bool commutative, Blocks blocks) {
  const FromRoot ranks{blocks.count(), 0};
  if (blocks.total().count == 0) co_return;
  Accumulator accumulator(self, commutative, scratch, scratch + blocks.total());
  co_yield binomial_reduce(self, ranks, &accumulator, blocks.total());
  co_yield linear_scatter(self, ranks, {output, blocks.bytes(self)}, blocks, accumulator.value(), Empty::Sent);
}

}  // namespace orrery::collective
