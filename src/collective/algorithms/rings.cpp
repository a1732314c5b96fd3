// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipelined_ring.hpp"
#include "collective/parts/ring.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by a message that goes around the ring twice: once to say that all have come, once
/// to say that all may go. p = 3:
///     0→1 | 1→2 | 2→0 | 0→1 | 1→2 | 2→0
/// Cost: 2p · α.
op::Script double_ring(Call call) {
  if (call.size == 1) co_return;
  const int previous = before(call.self, 1, call.size);
  const int next = after(call.self, 1, call.size);
  for (int round = 0; round < 2; ++round) {
    if (call.self > 0) co_yield await_signal(previous);
    co_yield signal(next);
    if (call.self == 0) co_yield await_signal(previous);
  }
}

}  // namespace orrery::collective::barrier

namespace orrery::collective::allreduce {

HandOver ring_hands_over(const Call& call) { return hands_short_to("recursive_doubling", call); }

/// Stream of one rank in an allreduce around a ring, a reduce-scatter and an allgather; any size, commutative
/// operation.
///
/// With fewer elements than ranks: recursive doubling. Else the vector is cut into p blocks; each travels once around
/// the ring while it is reduced, and once more when it is. p = 3; blocks a, b, c:
///     0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b | 0→1 b, 1→2 c, 2→0 a | 0→1 a, 1→2 b, 2→0 c
/// Cost: 2(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002
op::Script ring(Call call) {
  if (ring_hands_over(call)) {
    co_yield recursive_doubling(call);
    co_return;
  }
  co_yield ring_allreduce(call.self, Blocks::split(call.bytes, call.element, call.size), 0);
}

/// Stream of one rank in an allreduce around a ring in which each rank first sends not its own block but the next one;
/// any size, operations that commute, even fewer elements than ranks. p = 3; blocks a, b, c:
///     0→1 b, 1→2 c, 2→0 a | 0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b | 0→1 b, 1→2 c, 2→0 a
/// Cost: 2(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script ring_ahead(Call call) {
  co_yield ring_allreduce(call.self, Blocks::split(call.bytes, call.element, call.size), 1);
}

namespace {

/// How often the ring is gone around: as often as whole segments of all ranks fit, and once more for a large rest.
int phases(std::int64_t elements, std::int64_t segment, int size) {
  const std::int64_t round = segment * size;
  const std::int64_t rest = elements % round;
  return static_cast<int>(elements / round + (rest >= size && rest > round / 2 ? 1 : 0));
}

std::int64_t segment_elements(const Call& call) { return segments_of(call).bytes(0).count / call.element; }

}  // namespace

HandOver segmented_ring_hands_over(const Call& call) {
  const std::int64_t elements = elements_of(call);
  const bool short_blocks = elements == 0 || elements < segment_elements(call) * call.size;
  return call.size == 1 || short_blocks ? HandOver{"ring", "there is less than a segment per rank"} : HandOver{};
}

/// Stream of one rank in an allreduce around a ring whose reduce-scatter goes around once per segment of the blocks, so
/// that operands stay in the cache; any size, commutative operation. Vectors with less than a segment per rank take the
/// plain ring. The rest is as there.
/// Cost, s segments: (s + 1)(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
op::Script segmented_ring(Call call) {
  if (segmented_ring_hands_over(call)) {
    co_yield ring(call);
    co_return;
  }
  const std::int64_t elements = elements_of(call);
  const std::int64_t segment = segment_elements(call);
  const int next = after(call.self, 1, call.size);
  const int previous = before(call.self, 1, call.size);
  const Blocks blocks = Blocks::split(call.bytes, call.element, call.size);
  const int rounds = phases(elements, segment, call.size);
  co_yield copy(output, {input, call.bytes});
  const Bytes longest = Blocks::split(blocks.bytes(0), call.element, rounds).bytes(0);
  const std::array<Region, 2> places{scratch, scratch + longest};
  for (int round = 0; round < rounds; ++round) {
    const auto part = [&](int block) {
      const Slice whole = blocks.at(output, block);
      return Blocks::split(whole.bytes, call.element, rounds).at(whole.region, round);
    };
    const auto arrived = [&](int step) {
      return Slice{places[static_cast<std::size_t>(step % 2)], part(before(call.self, step, call.size)).bytes};
    };
    co_yield receive_ahead(1, previous, arrived(1));
    co_yield send(next, part(call.self));
    for (int step = 1; step < call.size; ++step) {
      if (step + 1 < call.size) co_yield receive_ahead((step + 1) % 2, previous, arrived(step + 1));
      co_yield await_ahead(step % 2);
      const Slice reduced = part(before(call.self, step, call.size));
      co_yield combine(reduced.region, arrived(step));
      if (step + 1 < call.size) co_yield send(next, reduced);
    }
  }
  co_yield ring_allgather(call.self, {call.size, call.size - 1}, blocks, output);
}

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

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter around a ring; any size, commutative operation. Each block travels once
/// around the ring and is reduced on the way, its owner last; empty blocks travel too. p = 3; blocks a, b, c:
///     0→1 c 1→2 a 2→0 b | 0→1 b 1→2 c 2→0 a
/// Cost: (p − 1) · α + (p − 1)/p · n(β + γ), n in bytes, all blocks.
op::Script ring(Call call) {
  const Blocks blocks = Blocks::listed(call.counts);
  const Region sums = scratch;
  if (call.size == 1 || blocks.total().count == 0) {
    co_yield copy(output, blocks.all(input));
    co_return;
  }
  const Bytes longest{*std::max_element(call.counts.begin(), call.counts.begin() + call.size)};
  const std::array<Region, 2> places{scratch + blocks.total(), scratch + blocks.total() + longest};
  const int next = after(call.self, 1, call.size);
  const int previous = before(call.self, 1, call.size);
  const auto block = [&](int step) { return before(call.self, step, call.size); };  // handled in this step
  const auto arrived = [&](int step) {
    return Slice{places[static_cast<std::size_t>(step % 2)], blocks.bytes(block(step))};
  };
  co_yield copy(sums, blocks.all(input));
  co_yield receive_ahead(0, previous, arrived(2));
  co_yield send_even_empty(next, blocks.at(sums, block(1)));
  for (int step = 2; step <= call.size; ++step) {
    if (step < call.size) co_yield receive_ahead((step + 1) % 2, previous, arrived(step + 1));
    co_yield await_ahead(step % 2);
    const Slice reduced = blocks.at(sums, block(step));
    co_yield combine(reduced.region, arrived(step));
    if (step < call.size) co_yield send_even_empty(next, reduced);
  }
  co_yield copy(output, blocks.at(sums, call.self));
}

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather around a ring; any size.
///
/// In each step a rank sends the block that it received last to the next one. p = 3; blocks a, b, c of ranks 0, 1, 2:
///     0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script ring(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield copy(blocks.at(output, call.self).region, {input, call.bytes});
  co_yield ring_allgather(call.self, {call.size, 0}, blocks, output);
}

}  // namespace orrery::collective::allgather

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes around a ring; any size.
///
/// In each step a rank sends the block that it received last to the next one; empty blocks are sent too. p = 3; blocks
/// a, b, c of ranks 0, 1, 2:
///     0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b
/// Cost, equal blocks: (p − 1) · α + (p − 1)/p · nβ, n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script ring(Call call) {
  const Blocks blocks = Blocks::listed(call.counts);
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield ring_allgather(call.self, {call.size, 0}, blocks, output);
}

namespace {

constexpr std::int64_t pipeline_bytes = 32768;

/// How much of a block goes in one message. The immediate form starts from the smallest block, the other one from the
/// largest. MPICH takes a block for as long as it lies in memory, gaps included.
std::int64_t chunk_bytes(const Call& call, std::span<const std::int64_t> counts) {
  const std::int64_t limit = call.segment.count > 0 ? call.segment.count : pipeline_bytes;
  const std::int64_t extent = call.extent == 0 ? call.element : call.extent;
  const std::int64_t whole = std::max(limit / extent, std::int64_t{1}) * call.element;
  if (extent < 0) return std::ranges::max(counts);
  const auto in_memory = [&](std::int64_t bytes) { return bytes / call.element * extent; };
  if (call.immediate) {
    const std::int64_t least = std::ranges::min(counts);
    return in_memory(least) < limit ? whole : least;
  }
  const std::int64_t most = std::ranges::max(counts);
  return in_memory(most) > limit ? whole : most;
}

}  // namespace

/// Stream of one rank in an allgather of blocks of any sizes around a ring, large blocks in messages of `segment`
/// bytes, 32 KiB if it is 0 (`pipelined_ring_allgather`); any size.
op::Script pipelined_ring(Call call) {
  const auto counts = call.counts.first(static_cast<std::size_t>(call.size));
  const Blocks blocks = Blocks::listed(counts);
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield pipelined_ring_allgather(call.self, blocks, chunk_bytes(call, counts));
}

}  // namespace orrery::collective::allgatherv

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all around a ring; any size. In each of p − 1 steps a rank passes on all p blocks
/// that it received last, and keeps a copy of its own. Cost: (p − 1) · (α + pnβ), n bytes per block.
op::Script ring(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const int next = after(call.self, 1, call.size);
  const int previous = before(call.self, 1, call.size);
  Region out = input;
  Region in = scratch;
  co_yield copy(blocks.at(output, call.self).region, blocks.at(input, call.self));
  for (int step = 1; step < call.size; ++step) {
    co_yield exchange(next, blocks.all(out), previous, blocks.all(in));
    co_yield copy(blocks.at(output, before(call.self, step, call.size)).region, blocks.at(in, call.self));
    const Region free = step == 1 ? scratch + blocks.total() : out;
    out = in;
    in = free;
  }
}

}  // namespace orrery::collective::alltoall
