// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/reduce_scatter.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter by recursive halving; any size, commutative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get their block last. p = 6, r = 2; blocks a to
/// f of ranks 0 to 5, named with the rank that receives them:
///     fold 0→1 2→3 | 1:abcd↔4:ef 3:abcd↔5:ef | 1:ab↔3:cd 4:e↔5:f | unfold 1→0 a, 3→2 c
/// Cost, p a power of two: log2 p · α + (p − 1)/p · n(β + γ), n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_halving(Call call) { co_yield halving_reduce_scatter(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::reduce_scatter
