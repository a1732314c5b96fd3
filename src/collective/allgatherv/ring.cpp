// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/ring.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

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

}  // namespace orrery::collective::allgatherv
