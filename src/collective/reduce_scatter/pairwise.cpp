// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/reduce_scatter.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter of a long vector, pairwise; any size, commutative operation.
///
/// In step k a rank sends the k-th one after it the block that is its, and receives its own from the k-th one before
/// it. p = 3; blocks a, b, c of ranks 0, 1, 2:
///     0→1 b, 1→2 c, 2→0 a | 0→2 c, 1→0 a, 2→1 b
/// Cost: (p − 1) · α + (p − 1)/p · n(β + γ), n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script pairwise(Call call) { co_yield pairwise_reduce_scatter(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::reduce_scatter
