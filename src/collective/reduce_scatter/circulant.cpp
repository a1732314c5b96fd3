// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/circulant.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter on a circulant graph (`circulant_reduce_scatter`); any size, any counts,
/// commutative operation.
/// Cost: ⌈log2 p⌉ · α + (p − 1)/p · n(β + γ), n being all blocks, and a copy of n.
/// Source: Träff 2024, doi:10.48550/arXiv.2410.14234
op::Script circulant(Call call) { co_yield circulant_scattered(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::reduce_scatter
