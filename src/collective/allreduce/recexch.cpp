// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by recursive exchange, that is recursive doubling by a radix; any size, any
/// associative operation. The radix k is `fanout`, 2 if that is less.
///
/// Surplus ranks hand over to a neighbour first and get the result last (`RecursiveExchange`). p = 7, k = 3:
///     fold 0→2 1→2 3→5 4→5 | 2↔5 2↔6 5↔6 | unfold 2→1 2→0 5→4 5→3
/// Cost, p a power of k: log_k p · (k − 1) · (α + nβ + nγ), n in bytes.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Slice sum{output, call.bytes};
  const auto operand = [&](int i) { return Slice{scratch + call.bytes * i, call.bytes}; };
  co_yield exchange_fold(exchange, call.self, sum, scratch);
  const int self = exchange.number();
  Started started;
  for (int phase = 0; exchange.remains() && phase < exchange.phases(); ++phase) {
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, phase, i);
      if (peer != self) co_yield started.irecv(exchange.rank(peer), operand(i));
    }
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, phase, i);
      if (peer != self) co_yield started.isend(exchange.rank(peer), sum);
    }
    co_yield started.wait_all();
    int own = 0;
    while (exchange.partner(self, phase, own) != self) ++own;
    for (int i = own - 1; i >= 0; --i) co_yield combine(output, operand(i));
    for (int i = own + 1; i < exchange.radix(); ++i) {
      if (call.commutative) {
        co_yield combine(output, operand(i));
      } else {
        co_yield combine(operand(i).region, sum);
        co_yield copy(output, operand(i));
      }
    }
  }
  co_yield exchange_unfold(exchange, call.self, sum);
}

}  // namespace orrery::collective::allreduce
