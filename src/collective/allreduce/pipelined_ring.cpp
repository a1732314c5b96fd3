// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipelined_ring.hpp"
#include "collective/parts/ring.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::allreduce {
namespace {

constexpr std::int64_t pipeline_bytes = 32768;

}  // namespace

/// Stream of one rank in an allreduce around a ring, a reduce-scatter and an allgather; any size, commutative
/// operation.
///
/// The vector is cut into p blocks of ⌈n/p⌉ elements, the last ones shorter or empty; empty ones are sent too while
/// they are reduced. The allgather passes large blocks on in messages of 32 KiB; that of the immediate form does not. p
/// = 3; blocks a, b, c:
///     0→1 c, 1→2 a, 2→0 b | 0→1 b, 1→2 c, 2→0 a | 0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b
/// Cost: 2(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002
op::Script pipelined_ring(Call call) {
  if (call.bytes.count == 0) co_return;
  const Blocks blocks = rounded_up_blocks(call);
  const int next = after(call.self, 1, call.size);
  const int previous = before(call.self, 1, call.size);
  co_yield copy(output, {input, call.bytes});
  int block = previous;
  for (int step = 1; step < call.size; ++step) {
    const Slice out = blocks.at(output, block);
    block = before(block, 1, call.size);
    const Slice in{scratch, blocks.bytes(block)};
    co_yield exchange_even_empty(next, out, previous, in);
    co_yield combine(blocks.at(output, block).region, in);
  }
  if (call.immediate) {
    co_yield ring_allgather(call.self, {call.size, 0}, blocks, output);
  } else {
    const std::int64_t most = blocks.bytes(0).count;
    const std::int64_t chunk = std::max(pipeline_bytes / call.element, std::int64_t{1}) * call.element;
    co_yield pipelined_ring_allgather(call.self, blocks, most > pipeline_bytes ? chunk : most);
  }
}

}  // namespace orrery::collective::allreduce
