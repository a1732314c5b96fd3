// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::allgatherv {
namespace {

constexpr std::int64_t pipeline_bytes = 32768;

/// How much of a block goes in one message. The immediate form starts from the smallest block, the other one from the
/// largest.
std::int64_t chunk_bytes(const Call& call, std::span<const std::int64_t> counts) {
  const std::int64_t limit = call.segment.count > 0 ? call.segment.count : pipeline_bytes;
  const std::int64_t whole = std::max(limit / call.element, std::int64_t{1}) * call.element;
  if (call.immediate) {
    const std::int64_t least = std::ranges::min(counts);
    return least < limit ? whole : least;
  }
  const std::int64_t most = std::ranges::max(counts);
  return most > limit ? whole : most;
}

/// Where a rank is in the row of blocks that pass it, the last block first.
struct Place {
  int block;
  std::int64_t offset = 0;

  [[nodiscard]] Slice next(const Blocks& blocks, std::int64_t chunk, std::int64_t left) const {
    const std::int64_t rest = blocks.bytes(block).count - offset;
    return {output + (blocks.offset(block) + offset), {left > 0 ? std::min(rest, chunk) : 0}};
  }
  void advance(const Blocks& blocks, Bytes by) {
    offset += by.count;
    if (offset < blocks.bytes(block).count) return;
    offset = 0;
    block = before(block, 1, blocks.count());
  }
};

}  // namespace

/// Stream of one rank in an allgather of blocks of any sizes around a ring, large blocks in messages of `segment`
/// bytes, 32 KiB if it is 0, so that a rank passes on the beginning of a block while the rest arrives; empty blocks
/// take no message. Any size. p = 3; blocks a, b, c of ranks 0, 1, 2, a in two messages:
///     0→1 a', 1→2 b, 2→0 c | 0→1 a", 1→2 a', 2→0 b | 0→1 c, 1→2 a"
/// Cost, equal blocks in s messages: (p − 1)s · α + (p − 1)/p · nβ, n in bytes, all blocks.
op::Script pipelined_ring(Call call) {
  const auto counts = call.counts.first(static_cast<std::size_t>(call.size));
  const Blocks blocks = Blocks::listed(counts);
  const std::int64_t chunk = chunk_bytes(call, counts);
  const int next = after(call.self, 1, call.size);
  const int previous = before(call.self, 1, call.size);
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  if (call.size == 1) co_return;
  std::int64_t to_send = blocks.total().count - blocks.bytes(next).count;
  std::int64_t to_receive = blocks.total().count - blocks.bytes(call.self).count;
  Place sent{call.self};
  Place received{previous};
  while (to_send > 0 || to_receive > 0) {
    const Slice out = sent.next(blocks, chunk, to_send);
    const Slice in = received.next(blocks, chunk, to_receive);
    co_yield exchange(next, out, previous, in);
    to_send -= out.bytes.count;
    to_receive -= in.bytes.count;
    sent.advance(blocks, out.bytes);
    received.advance(blocks, in.bytes);
  }
}

}  // namespace orrery::collective::allgatherv
