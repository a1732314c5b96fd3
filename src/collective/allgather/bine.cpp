// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/bine.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by a Bine butterfly, farthest exchange first, so that the longest messages go to
/// the nearest rank; p a power of two. Blocks lie in the order of `bine_position` until all are there. p = 4; blocks a
/// to d of ranks 0 to 3:
///     0:a↔3:d 1:b↔2:c | 0:ad↔1:bc 2:bc↔3:ad
/// Cost: log2 p · α + (p − 1)/p · nβ, n being all blocks, and a copy of each block.
/// Source: De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311
op::Script bine(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield copy(blocks.at(scratch, bine_position(call.self, call.size)).region, {input, call.bytes});
  co_yield bine_allgather({call.self, call.size}, blocks, scratch);
  for (int position = 0; position < call.size; ++position)
    co_yield copy(blocks.at(output, bine_number(position, call.size)).region, blocks.at(scratch, position));
}

}  // namespace orrery::collective::allgather
