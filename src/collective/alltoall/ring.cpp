// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

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
