// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/ring.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

HandOver scatter_allgather_ring_hands_over(const Call& call) { return hands_short_to("linear", call); }

/// Stream of one rank in a broadcast of a long vector, as a binomial scatter and a ring allgather; any size and root.
///
/// The vector is cut into p blocks of ⌈n/p⌉ elements, the last ones shorter or empty; with fewer elements than ranks
/// the root sends it to each. p = 3, root 0; blocks a, b, c:
///     0→2 c | 0→1 b | 0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b
/// Cost: (⌈log2 p⌉ + p − 1) · α + 2(p − 1)/p · nβ, n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script scatter_allgather_ring(Call call) {
  if (scatter_allgather_ring_hands_over(call)) {
    co_yield linear(call);
    co_return;
  }
  const FromRoot ranks{call.size, call.root};
  const Blocks blocks = rounded_up_blocks(call);
  co_yield binomial_scatter(call.self, ranks, blocks, output);
  co_yield ring_allgather(call.self, ranks, blocks, output);
}

}  // namespace orrery::collective::bcast
