// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/doubling_allgather.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes by recursive doubling; the size must be a power of two.
///
/// In step k a rank exchanges the 2^k blocks that it has with the rank that differs in bit k; empty ones too. p = 4:
///     0↔1 2↔3 | 0↔2 1↔3 (2 blocks)
/// Cost, equal blocks: log2 p · α + (p − 1)/p · nβ, n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  if (blocks.total().count == 0) co_return;
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield doubling_allgather(call.self, {call.size, 0}, blocks, output);
}

}  // namespace orrery::collective::allgatherv
