// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by recursive doubling; the size must be a power of two.
///
/// In step k a rank exchanges the 2^k blocks that it has with the rank that differs in bit k. p = 4:
///     0↔1 2↔3 | 0↔2 1↔3 (2 blocks)
/// Cost: log2 p · α + (p − 1)nβ, n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  BlockRange own{call.self, call.self + 1};
  co_yield copy(blocks.at(output, call.self).region, {input, call.bytes});
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int peer = call.self ^ distance;
    co_yield exchange(peer, blocks.range(output, own), peer, blocks.range(output, own.sibling()));
    own = own.parent();
  }
}

}  // namespace orrery::collective::allgather
