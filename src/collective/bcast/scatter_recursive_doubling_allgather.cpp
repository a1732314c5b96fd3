// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/doubling_allgather.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

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

}  // namespace orrery::collective::bcast
