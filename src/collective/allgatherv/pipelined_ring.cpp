// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipelined_ring.hpp"

namespace orrery::collective::allgatherv {
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
