// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/butterfly.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter of equal blocks on a butterfly (`permuted_butterfly`); the size must be a
/// power of two, the operation need not commute.
op::Script noncommutative(Call call) {
  co_yield permuted_butterfly(call.self, Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size))));
}

}  // namespace orrery::collective::reduce_scatter
