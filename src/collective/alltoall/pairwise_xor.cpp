// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, pairwise; any size. With a power of two of ranks, pairs exchange blocks: in
/// step k those whose ranks differ in the bits of k. Otherwise as `pairwise`. p = 4:
///     0↔1 2↔3 | 0↔2 1↔3 | 0↔3 1↔2
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script pairwise_xor(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  if (!std::has_single_bit(static_cast<unsigned>(call.size))) {
    co_yield pairwise_alltoall(call.self, call.size, blocks, blocks);
    co_return;
  }
  co_yield copy(blocks.at(output, call.self).region, blocks.at(input, call.self));
  for (int bits = 1; bits < call.size; ++bits) {
    const int peer = call.self ^ bits;
    co_yield exchange(peer, blocks.at(input, peer), peer, blocks.at(output, peer));
  }
}

}  // namespace orrery::collective::alltoall
