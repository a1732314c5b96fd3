// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/ring.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/hand_over.hpp"

namespace orrery::collective::allreduce {

HandOver ring_hands_over(const Call& call) { return hands_short_to("recursive_doubling", call); }

/// Stream of one rank in an allreduce around a ring, a reduce-scatter and an allgather; any size, commutative
/// operation.
///
/// With fewer elements than ranks: recursive doubling. Else the vector is cut into p blocks; each travels once around
/// the ring while it is reduced, and once more when it is. p = 3; blocks a, b, c:
///     0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b | 0→1 b, 1→2 c, 2→0 a | 0→1 a, 1→2 b, 2→0 c
/// Cost: 2(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002
op::Script ring(Call call) {
  if (ring_hands_over(call)) {
    co_yield recursive_doubling(call);
    co_return;
  }
  co_yield ring_allreduce(call.self, Blocks::split(call.bytes, call.element, call.size), 0);
}

}  // namespace orrery::collective::allreduce
