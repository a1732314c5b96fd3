// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/bruck.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/sparbit.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by Bruck's algorithm; any size. The radix is `fanout`, 2 if that is
/// less.
///
/// In step k a rank sends the 2^k blocks that it had first, or as many as are missing, to the rank 2^k before it. p =
/// 5:
///     0→4→3→2→1→0 | 0→3→1→4→2→0 (2 blocks) | 0→1→2→3→4→0 (1 block)
/// Cost: ⌈log2 p⌉ · α + (p − 1)nβ, n bytes per block.
/// Source: Bruck et al. 1997, doi:10.1109/71.642949
op::Script bruck(Call call) { co_yield bruck_allgather(call.self, Blocks::equal(call.bytes, call.size), call.fanout); }

/// Stream of one rank in an allgather by parallel binomial trees (`sparbit_allgather`); any size.
/// Source: Loch, Koslovski 2021, doi:10.48550/arXiv.2109.08751
op::Script sparbit(Call call) { co_yield sparbit_allgather(call.self, Blocks::equal(call.bytes, call.size)); }

}  // namespace orrery::collective::allgather

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes by Bruck's algorithm; any size. The radix is `fanout`, 2
/// if that is less.
///
/// In step k a rank sends the 2^k blocks that it had first, or as many as are missing, to the rank 2^k before it. p =
/// 5:
///     0→4→3→2→1→0 | 0→3→1→4→2→0 (2 blocks) | 0→1→2→3→4→0 (1 block)
/// Cost, equal blocks: ⌈log2 p⌉ · α + (p − 1)/p · nβ, n in bytes, all blocks.
/// Source: Bruck et al. 1997, doi:10.1109/71.642949
op::Script bruck(Call call) { co_yield bruck_allgather(call.self, Blocks::listed(call.counts), call.fanout); }

/// Stream of one rank in an allgather of unequal blocks by parallel binomial trees (`sparbit_allgather`); any size.
/// Source: Loch, Koslovski 2021, doi:10.48550/arXiv.2109.08751
op::Script sparbit(Call call) { co_yield sparbit_allgather(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::allgatherv

namespace orrery::collective::alltoall {

namespace {

/// The distances in [0, size) that have one digit at the position that counts `step` come in runs of `step`.
constexpr BlockRange run_from(std::int64_t first, std::int64_t step, int size) {
  const auto clipped = [size](std::int64_t distance) {
    return static_cast<int>(std::min<std::int64_t>(distance, size));
  };
  return {clipped(first), clipped(first + step)};
}
constexpr BlockRange next_run(BlockRange run, std::int64_t step, int radix, int size) {
  return run_from(run.first + radix * step, step, size);
}
constexpr bool empty(BlockRange run) { return run.first == run.last; }

}  // namespace

/// Stream of one rank in an all-to-all of short blocks by Bruck's algorithm; any size. The radix k is `fanout`, 2 if
/// that is less.
///
/// Each block has a distance to travel, that from its sender to its receiver; in step i those with digit d at position
/// i of their distance, in base k, go d · k^i ranks further, packed into one message for each d. p = 5, k = 2;
/// distances that travel:
///     all ranks +1: 1 3 | +2: 2 3 | +4: 4
/// Cost, k = 2: ⌈log2 p⌉ · (α + ⌊p/2⌋ · nβ), n bytes per block, at most.
/// Source: Bruck et al. 1997, doi:10.1109/71.642949
op::Script bruck(Call call) {
  const int size = call.size;
  const int radix = std::max(2, std::min(call.fanout, size));
  const Blocks blocks = Blocks::equal(call.bytes, size);
  const Region by_distance = scratch;
  Started started;
  co_yield copy(by_distance, blocks.range(input, {call.self, size}));
  co_yield copy(blocks.at(by_distance, size - call.self).region, blocks.range(input, {0, call.self}));
  for (std::int64_t step = 1; step < size; step *= radix) {
    const std::int64_t end = std::min<std::int64_t>(step * radix, size);
    Region packed = by_distance + blocks.total();  // what goes to one rank, what comes from another, and so on
    for (std::int64_t distance = step; distance < end; distance += step) {
      const Region outgoing = packed;
      for (BlockRange run = run_from(distance, step, size); !empty(run); run = next_run(run, step, radix, size)) {
        co_yield copy(packed, blocks.range(by_distance, run));
        packed = packed + blocks.range(by_distance, run).bytes;
      }
      const Bytes bytes{packed.offset - outgoing.offset};
      const auto hop = static_cast<int>(distance);
      co_yield started.irecv(before(call.self, hop, size), {packed, bytes});
      co_yield started.isend(after(call.self, hop, size), {outgoing, bytes});
      packed = packed + bytes;
    }
    co_yield started.wait_all();
    packed = by_distance + blocks.total();
    for (std::int64_t distance = step; distance < end; distance += step) {
      Bytes bytes{};
      for (BlockRange run = run_from(distance, step, size); !empty(run); run = next_run(run, step, radix, size))
        bytes = bytes + blocks.range(by_distance, run).bytes;
      packed = packed + bytes;
      for (BlockRange run = run_from(distance, step, size); !empty(run); run = next_run(run, step, radix, size)) {
        const Slice whole = blocks.range(by_distance, run);
        co_yield copy(whole.region, {packed, whole.bytes});
        packed = packed + whole.bytes;
      }
    }
  }
  for (int distance = 0; distance < size; ++distance) {
    const int from = before(call.self, distance, size);
    co_yield copy(blocks.at(output, from).region, blocks.at(by_distance, distance));
  }
}

}  // namespace orrery::collective::alltoall
