// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/halving.hpp"

namespace orrery::collective {

Blocks halved_blocks(const Call& call, int power) {
  return call.immediate ? Blocks::rest_to_last(call.bytes, call.element, power)
                        : Blocks::split(call.bytes, call.element, power);
}

op::Script scatter_reduce(Fold fold, Blocks blocks, Accumulator* accumulator, BlockRange* own) {
  const int number = fold.number();
  for (int distance = 1; distance < fold.power(); distance *= 2) {
    const int peer = fold.rank(number ^ distance);
    const bool upper = (number & distance) != 0;
    const BlockRange kept = own->half(upper);
    const Slice given = blocks.range(accumulator->value(), own->half(!upper));
    const Slice arrived = blocks.range(accumulator->incoming(), kept);
    co_yield exchange(peer, given, peer, arrived);
    co_yield accumulator->absorb_from(peer, arrived);
    *own = kept;
  }
}

}  // namespace orrery::collective
