// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by recursive exchange; any size. The radix k is `fanout`, 2 if that is less. Surplus
/// ranks report to a neighbour and are released by it (`RecursiveExchange`). p = 4, k = 3:
///     0→1 | 1↔2 1↔3 2↔3 | 1→0
/// Cost, p a power of k: log_k p · (k − 1) · α.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const int self = exchange.number();
  if (!exchange.remains()) {
    const int proxy = exchange.rank(self);
    co_yield exchange_signals(proxy, proxy);
    co_return;
  }
  Started started;
  for (int rank = call.self - 1; rank >= exchange.first_of_group(); --rank) co_yield started.irecv_signal(rank);
  co_yield started.wait_all();
  for (int phase = 0; phase < exchange.phases(); ++phase) {
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, phase, i);
      if (peer == self) continue;
      co_yield started.irecv_signal(exchange.rank(peer));
      co_yield started.isend_signal(exchange.rank(peer));
    }
    co_yield started.wait_all();
  }
  for (int rank = call.self - 1; rank >= exchange.first_of_group(); --rank) co_yield started.isend_signal(rank);
  co_yield started.wait_all();
}

}  // namespace orrery::collective::barrier
