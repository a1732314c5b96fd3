// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/ring.hpp"

#include "collective/parts/messages.hpp"

namespace orrery::collective {

op::Script ring_allgather(int self, FromRoot ranks, Blocks blocks, Region base) {
  const int size = ranks.size;
  const int next = after(self, 1, size);
  const int previous = before(self, 1, size);
  if (blocks.total().count == 0) co_return;
  int block = ranks.relative(self);
  for (int step = 1; step < size; ++step) {
    const Slice out = blocks.at(base, block);
    block = before(block, 1, size);
    co_yield exchange_even_empty(next, out, previous, blocks.at(base, block));
  }
}

op::Script ring_allreduce(int self, Blocks blocks, int ahead) {
  const int size = blocks.count();
  const int next = after(self, 1, size);
  const int previous = before(self, 1, size);
  if (size == 1) co_yield copy(output, blocks.all(input));
  if (blocks.total().count == 0) co_return;

  int block = (self + ahead) % size;
  for (int step = 1; step < size; ++step) {
    const Slice out = blocks.at(step == 1 ? input : output, block);
    block = before(block, 1, size);
    co_yield exchange_even_empty(next, out, previous, blocks.at(output, block));
    co_yield combine(blocks.at(output, block).region, blocks.at(input, block));
  }
  co_yield ring_allgather(self, {size, (2 * size - 1 - ahead) % size}, blocks, output);
}

}  // namespace orrery::collective
