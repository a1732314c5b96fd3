// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::alltoall {
namespace {

/// The distances in [0, size) that have the bit `step` set come in runs of `step`.
constexpr BlockRange run_from(int first, int step, int size) {
  return {std::min(first, size), std::min(first + step, size)};
}
constexpr BlockRange first_run(int step, int size) { return run_from(step, step, size); }
constexpr BlockRange next_run(BlockRange run, int step, int size) { return run_from(run.first + 2 * step, step, size); }
constexpr bool empty(BlockRange run) { return run.first == run.last; }

}  // namespace

/// Stream of one rank in an all-to-all of short blocks by Bruck's algorithm; any size.
///
/// Each block has a distance to travel, that from its sender to its receiver; in step k those with bit k in their
/// distance go 2^k ranks further, packed into one message. p = 5; distances that travel:
///     all ranks +1: 1 3 | +2: 2 3 | +4: 4
/// Cost: ⌈log2 p⌉ · (α + ⌊p/2⌋ · nβ), n bytes per block, at most.
/// Source: Bruck et al. 1997, doi:10.1109/71.642949
op::Script bruck(Call call) {
  const int size = call.size;
  const Blocks blocks = Blocks::equal(call.bytes, size);
  const Region by_distance = scratch;
  const Region outgoing = scratch + blocks.total();
  const Region incoming = outgoing + blocks.total();

  co_yield copy(by_distance, blocks.range(input, {call.self, size}));
  co_yield copy(blocks.at(by_distance, size - call.self).region, blocks.range(input, {0, call.self}));
  for (int step = 1; step < size; step *= 2) {
    int packed = 0;
    for (BlockRange run = first_run(step, size); !empty(run); run = next_run(run, step, size)) {
      co_yield copy(blocks.at(outgoing, packed).region, blocks.range(by_distance, run));
      packed += run.last - run.first;
    }
    co_yield exchange(after(call.self, step, size), blocks.range(outgoing, {0, packed}), before(call.self, step, size),
                      blocks.range(incoming, {0, packed}));
    packed = 0;
    for (BlockRange run = first_run(step, size); !empty(run); run = next_run(run, step, size)) {
      co_yield copy(blocks.at(by_distance, run.first).region,
                    blocks.range(incoming, {packed, packed + run.last - run.first}));
      packed += run.last - run.first;
    }
  }
  for (int distance = 0; distance < size; ++distance) {
    const int from = before(call.self, distance, size);
    co_yield copy(blocks.at(output, from).region, blocks.at(by_distance, distance));
  }
}

}  // namespace orrery::collective::alltoall
