// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks by recursive exchange, distances shrinking
/// (`exchange_reduction`); any size, commutative operation. The radix is `fanout`, 2 if that is less.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield exchange_reduce_scatter(call.self, exchange, blocks);
}

}  // namespace orrery::collective::reduce_scatter_block
