// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/doubling_allgather.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

HandOver scatter_allgather_hands_over(const Call& call) { return hands_short_to("linear", call); }

/// Stream of one rank in a broadcast as a binomial scatter and an allgather by recursive doubling; any size and root.
///
/// The vector is cut into p blocks of ⌈n/p⌉ elements, the last ones shorter or empty; with fewer elements than ranks
/// the root sends it to each. p = 4, blocks a b c d:
///     0→2 cd | 0→1 b 2→3 d | 0↔1 2↔3 | 0↔2 1↔3
/// Cost: 2⌈log2 p⌉ · α + 2(p − 1)/p · nβ, n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script scatter_allgather(Call call) {
  if (scatter_allgather_hands_over(call)) {
    co_yield linear(call);
    co_return;
  }
  const FromRoot ranks{call.size, call.root};
  const Blocks blocks = rounded_up_blocks(call);
  co_yield binomial_scatter(call.self, ranks, blocks, output);
  co_yield doubling_allgather(call.self, ranks, blocks, output);
}

}  // namespace orrery::collective::bcast
