// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/reduce_scatter.hpp"

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks as a binomial reduction to rank 0 and a linear scatter; any
/// size, any associative operation. p = 6:
///     1→0 3→2 5→4 | 2→0 | 4→0 | 0→1 0→2 0→3 0→4 0→5
/// Cost: (⌈log2 p⌉ + p − 1) · α + ⌈log2 p⌉ · n(β + γ) + (p − 1)/p · nβ, n in bytes, all blocks.
op::Script reduce_scatterv(Call call) {
  co_yield reduce_then_scatter(call.self, call.commutative, Blocks::equal(call.bytes, call.size));
}

}  // namespace orrery::collective::reduce_scatter_block
