// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/doubling_reduce_scatter.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter of blocks of any sizes by recursive doubling (`doubling_reduce_scatter`); any
/// size, any associative operation.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  co_yield doubling_reduce_scatter(call.self, call.commutative, blocks);
}

}  // namespace orrery::collective::reduce_scatter
