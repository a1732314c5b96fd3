// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/ring.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce around a ring, a reduce-scatter and an allgather; any size, commutative
/// operation.
///
/// With fewer elements than ranks: recursive doubling. Else the vector is cut into p blocks; each travels once around
/// the ring while it is reduced, and once more when it is. p = 3; blocks a, b, c:
///     0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b | 0→1 b, 1→2 c, 2→0 a | 0→1 a, 1→2 b, 2→0 c
/// Cost: 2(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002
op::Script ring(Call call) {
  if (call.bytes.count / call.element < call.size) {
    co_yield recursive_doubling(call);
    co_return;
  }
  const int next = after(call.self, 1, call.size);
  const int previous = before(call.self, 1, call.size);
  const Blocks blocks = Blocks::split(call.bytes, call.element, call.size);
  if (call.size == 1) co_yield copy(output, {input, call.bytes});

  int block = call.self;
  for (int step = 1; step < call.size; ++step) {
    const Slice out = blocks.at(step == 1 ? input : output, block);
    block = before(block, 1, call.size);
    co_yield exchange(next, out, previous, blocks.at(output, block));
    co_yield combine(blocks.at(output, block).region, blocks.at(input, block));
  }
  co_yield ring_allgather(call.self, {call.size, call.size - 1}, blocks, output);
}

}  // namespace orrery::collective::allreduce
