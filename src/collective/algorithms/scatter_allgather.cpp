// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/contiguous_knomial.hpp"
#include "collective/parts/doubling_allgather.hpp"
#include "collective/parts/embed.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/recursive_exchange.hpp"
#include "collective/parts/ring.hpp"
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

/// Stream of one rank in a broadcast as a binomial scatter and an allgather by recursive doubling, as MPICH does it;
/// any size and root.
///
/// The vector is cut into p blocks of ⌈n/p⌉ bytes, whatever its elements; the last ones are shorter or empty. p = 4,
/// blocks a b c d:
///     0→2 cd | 0→1 b 2→3 d | 0↔1 2↔3 | 0↔2 1↔3
/// Cost: 2⌈log2 p⌉ · α + 2(p − 1)/p · nβ, n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script scatter_recursive_doubling_allgather(Call call) {
  if (call.bytes.count == 0) co_return;
  const FromRoot ranks{call.size, call.root};
  call.element = 1;  // blocks may end within an element
  const Blocks blocks = rounded_up_blocks(call);
  co_yield binomial_scatter(call.self, ranks, blocks, output, call.immediate);
  co_yield doubling_allgather(call.self, ranks, blocks, output);
}

/// Stream of one rank in a broadcast of a long vector as a binomial scatter and a ring allgather, as MPICH does it; any
/// size and root.
///
/// The vector is cut into p blocks of ⌈n/p⌉ bytes, whatever its elements; the last ones are shorter or empty. p = 3,
/// root 0; blocks a, b, c:
///     0→2 c | 0→1 b | 0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b
/// Cost: (⌈log2 p⌉ + p − 1) · α + 2(p − 1)/p · nβ, n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script scatter_ring_allgather(Call call) {
  const FromRoot ranks{call.size, call.root};
  call.element = 1;  // blocks may end within an element
  const Blocks blocks = rounded_up_blocks(call);
  co_yield binomial_scatter(call.self, ranks, blocks, output, call.immediate);
  co_yield ring_allgather(call.self, ranks, blocks, output);
}

/// Stream of one rank in a broadcast of a long vector as a scatter along a k-nomial tree with contiguous subtrees and
/// an allgather by recursive exchange; any size and root. The radix is `fanout`, 2 if that is less.
///
/// The vector is cut into p blocks of ⌈n/p⌉ bytes, whatever its elements; the last ones are shorter or empty, and sent
/// all the same.
op::Script scatterv_recexch_allgatherv(Call call) {
  if (call.bytes.count == 0) co_return;
  const FromRoot ranks{call.size, call.root};
  call.element = 1;  // blocks may end within an element
  const Blocks blocks = rounded_up_blocks(call);
  co_yield knomial_scatter(call.self, ranks, blocks, output, call.fanout);
  op::Script gather = exchange_allgather(ranks.relative(call.self), blocks, call.fanout, Distance::Growing);
  co_yield renumbered(std::move(gather), ranks);
}

/// Stream of one rank in a broadcast of a long vector as a scatter along a k-nomial tree with contiguous subtrees and
/// an allgather around a ring; any size and root. The radix is `fanout`, 2 if that is less.
///
/// The vector is cut into p blocks of ⌈n/p⌉ bytes, whatever its elements; the last ones are shorter or empty, and sent
/// all the same.
op::Script scatterv_ring_allgatherv(Call call) {
  if (call.bytes.count == 0) co_return;
  const FromRoot ranks{call.size, call.root};
  call.element = 1;  // blocks may end within an element
  const Blocks blocks = rounded_up_blocks(call);
  co_yield knomial_scatter(call.self, ranks, blocks, output, call.fanout);
  co_yield ring_allgather(call.self, ranks, blocks, output);
}

}  // namespace orrery::collective::bcast
