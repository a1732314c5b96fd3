// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/doubling_reduce_scatter.hpp"

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks by recursive doubling (`doubling_reduce_scatter`); any size,
/// any associative operation.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  co_yield doubling_reduce_scatter(call.self, call.commutative, Blocks::equal(call.bytes, call.size));
}

}  // namespace orrery::collective::reduce_scatter_block
