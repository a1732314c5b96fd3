// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/circulant.hpp"

#include <bit>

#include "collective/parts/from_self.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective {
namespace {

int halved(int left) { return left / 2 + left % 2; }

int rounds(int size) { return std::bit_width(static_cast<unsigned>(size - 1)); }

/// How many blocks are left before a round, counted from 0; of `rounds(size)`, one.
int left_before(int round, int size) {
  for (; round > 0; --round) size = halved(size);
  return size;
}

}  // namespace

op::Script circulant_reduce_scatter(int self, Blocks blocks, Region sums, Region arrived) {
  const int size = blocks.count();
  const FromSelf mine{self, blocks};
  for (int left = size; left > 1; left = halved(left)) {
    const int distance = halved(left);
    const Slice own = mine.range(sums, 0, left - distance);
    const Slice in{arrived, own.bytes};
    co_yield exchange(after(self, distance, size), mine.range(sums, distance, left), before(self, distance, size), in);
    co_yield combine(own.region, in);
  }
}

op::Script circulant_allgather(int self, Blocks blocks, Region base) {
  const int size = blocks.count();
  const FromSelf mine{self, blocks};
  for (int round = rounds(size) - 1; round >= 0; --round) {
    const int left = left_before(round, size);
    const int distance = halved(left);
    co_yield exchange(before(self, distance, size), mine.range(base, 0, left - distance), after(self, distance, size),
                      mine.range(base, distance, left));
  }
}

op::Script turn_to_self(int self, Blocks blocks, Region into, Region from) {
  const Slice first = blocks.range(from, {self, blocks.count()});
  co_yield copy(into, first);
  co_yield copy(into + first.bytes, blocks.range(from, {0, self}));
}

op::Script turn_back(int self, Blocks blocks, Region into, Region from) {
  const Slice first = blocks.range(into, {self, blocks.count()});
  const Slice second = blocks.range(into, {0, self});
  co_yield copy(first.region, {from, first.bytes});
  co_yield copy(second.region, {from + first.bytes, second.bytes});
}

op::Script circulant_scattered(int self, Blocks blocks) {
  co_yield turn_to_self(self, blocks, scratch, input);
  co_yield circulant_reduce_scatter(self, blocks, scratch, scratch + blocks.total());
  co_yield copy(output, {scratch, blocks.bytes(self)});
}

}  // namespace orrery::collective
