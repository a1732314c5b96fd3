// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/ring.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

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
