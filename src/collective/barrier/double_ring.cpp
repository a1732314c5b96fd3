// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by a message that goes around the ring twice: once to say that all have come, once
/// to say that all may go. p = 3:
///     0→1 | 1→2 | 2→0 | 0→1 | 1→2 | 2→0
/// Cost: 2p · α.
op::Script double_ring(Call call) {
  if (call.size == 1) co_return;
  const int previous = before(call.self, 1, call.size);
  const int next = after(call.self, 1, call.size);
  for (int round = 0; round < 2; ++round) {
    if (call.self > 0) co_yield await_signal(previous);
    co_yield signal(next);
    if (call.self == 0) co_yield await_signal(previous);
  }
}

}  // namespace orrery::collective::barrier
