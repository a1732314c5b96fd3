// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/fold.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by recursive doubling; any size.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks report to a neighbour first and are released by it last. p = 6, r = 2:
///     fold 0→1 2→3 | 1↔3 4↔5 | 1↔4 3↔5 | unfold 1→0 3→2
/// Cost, p a power of two: log2 p · α; otherwise 2α more.
op::Script recursive_doubling(Call call) {
  const Fold fold(call.self, call.size);
  if (!fold.remains()) {
    co_yield signal(fold.neighbour());
    co_yield await_signal(fold.neighbour());
    co_return;
  }
  if (fold.paired()) co_yield await_signal(fold.neighbour());
  for (int distance = 1; distance < fold.power(); distance *= 2) {
    const int peer = fold.rank(fold.number() ^ distance);
    co_yield exchange_signals(peer, peer);
  }
  if (fold.paired()) co_yield signal(fold.neighbour());
}

}  // namespace orrery::collective::barrier
