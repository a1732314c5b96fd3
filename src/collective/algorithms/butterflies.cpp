// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/butterfly.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter on a butterfly (`butterfly_reduce_scatter`); any size, any associative
/// operation.
/// Source: Träff 2005, doi:10.1007/11557265_20
op::Script butterfly(Call call) {
  co_yield butterfly_reduce_scatter(call.self, Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size))));
}

/// Stream of one rank in a reduce-scatter of equal blocks on a butterfly (`permuted_butterfly`); the size must be a
/// power of two, the operation need not commute.
op::Script noncommutative(Call call) {
  co_yield permuted_butterfly(call.self, Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size))));
}

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks on a butterfly; any size, any associative operation. With a
/// power of two of ranks the blocks are put into the order of reversed bits before, so that none has to go home after.
///     p = 4: 0↔1 halves | 0↔2 1↔3 quarters
/// Cost, p a power of two: log2 p · α + (p − 1)/p · n(β + γ), n being all blocks.
/// Source: Träff 2005, doi:10.1007/11557265_20
op::Script butterfly(Call call) {
  if (call.bytes.count == 0) co_return;
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const bool power_of_two = (call.size & (call.size - 1)) == 0;
  if (power_of_two) {
    co_yield permuted_butterfly(call.self, blocks);
  } else {
    co_yield butterfly_reduce_scatter(call.self, blocks);
  }
}

/// Stream of one rank in a reduce-scatter of equal blocks on a butterfly (`permuted_butterfly`); the size must be a
/// power of two, the operation need not commute.
op::Script noncommutative(Call call) { co_yield permuted_butterfly(call.self, Blocks::equal(call.bytes, call.size)); }

}  // namespace orrery::collective::reduce_scatter_block
