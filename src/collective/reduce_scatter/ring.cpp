// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

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
