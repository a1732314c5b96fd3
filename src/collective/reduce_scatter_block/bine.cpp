// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/bine.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks by a Bine butterfly, nearest exchange first, so that the
/// longest messages go to the nearest rank; p a power of two, commutative operation. Blocks are brought into the order
/// of `bine_position` first. p = 4; blocks a to d of ranks 0 to 3:
///     0:bc↔1:ad 2:ad↔3:bc | 0:d↔3:a 1:c↔2:b
/// Cost: log2 p · α + (p − 1)/p · n(β + γ), n being all blocks, and a copy of each block.
/// Source: De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311
op::Script bine(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  for (int position = 0; position < call.size; ++position)
    co_yield copy(blocks.at(scratch, position).region, blocks.at(input, bine_number(position, call.size)));
  co_yield bine_reduce_scatter({call.self, call.size}, blocks, scratch, scratch + blocks.total());
  co_yield copy(output, blocks.at(scratch, bine_position(call.self, call.size)));
}

}  // namespace orrery::collective::reduce_scatter_block
