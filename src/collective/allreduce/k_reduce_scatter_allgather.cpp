// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce of a long vector by Rabenseifner's algorithm with a radix: a reduce-scatter and
/// an allgather by recursive exchange; any size, commutative operation. The radix k is `fanout`, 2 if that is less. The
/// vector is cut into as many blocks as ranks remain in `RecursiveExchange`; the last one takes the rest. p = 3, k = 3;
/// blocks a, b, c, named with the rank that receives them:
///     0:a↔1:b 0:a↔2:c 1:b↔2:c | 0:b↔1:a 0:c↔2:a 1:c↔2:b
/// Cost, p a power of k: 2 log_k p · (k − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
op::Script k_reduce_scatter_allgather(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Slice sum{output, call.bytes};
  const Blocks blocks = Blocks::rest_to_last(call.bytes, call.element, exchange.power());
  if (call.bytes.count == 0) co_return;
  co_yield exchange_fold(exchange, call.self, sum, scratch);
  if (exchange.remains()) {
    co_yield exchange_reduction(exchange, blocks, true, Distance::Shrinking, output, scratch);
    co_yield exchange_phases(exchange, blocks, true, Distance::Shrinking);
  }
  co_yield exchange_unfold(exchange, call.self, sum);
}

}  // namespace orrery::collective::allreduce
