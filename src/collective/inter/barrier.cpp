// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier of two groups; any sizes.
///
/// Each group has a barrier; the first ranks tell each other, and then the rest of their group, along a binomial tree.
/// Groups of 3 and 2, a and b:
///     a0→a1→a2→a0, b0→b1→b0 | a0→a2→a1→a0 | a0→b0, b0→a0 | a0→a2, b0→b1 | a0→a1
/// Cost: (⌈log2 p⌉ + 1 + ⌈log2 p⌉) · α, p being the larger size.
op::Script inter_bcast(Call call) {
  co_yield dissemination({.kind = CollectiveKind::Barrier, .self = call.self, .size = call.size});
  const BinomialNode node{call.self, call.size};
  if (call.self == 0) {
    co_yield exchange_signals(remote(call, 0), remote(call, 0));
  } else {
    co_yield await_signal(node.parent());
  }
  for (int distance = node.reach() / 2; distance >= 1; distance /= 2) {
    if (node.has_child(distance)) co_yield signal(node.child(distance));
  }
}

}  // namespace orrery::collective::barrier
