// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along one chain of all ranks, in which the root and rank 0 change places; any size
/// and root, operations that commute.
///
/// In fragments of about `segment` bytes, 8 KiB if it is 0, the last one the longest: a rank receives one, combines it
/// and hands it on before it receives the next. p = 4, root 2:
///     3→0→1→2
/// Cost, s fragments: (p − 1) · (α + n/s · (β + γ)) + (s − 1) · 2(α + n/s · β), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script chain_swapped(Call call) {
  const FromRoot ranks = FromRoot::swapped(call.size, call.root);
  const int place = ranks.relative(call.self);
  const bool is_last = place == call.size - 1;
  const Region home = place == 0 ? output : scratch;
  const Blocks fragments =
      Blocks::fragments(call.bytes, call.element, call.segment.count > 0 ? call.segment : Bytes{8192});
  if (call.size == 1) co_yield copy(output, {input, call.bytes});
  for (int fragment = 0; fragment < fragments.count() && call.size > 1; ++fragment) {
    const Slice own = fragments.at(input, fragment);
    const Slice combined = fragments.at(home, fragment);
    if (!is_last) {
      co_yield recv_even_empty(ranks.rank(place + 1), combined);
      co_yield combine(combined.region, own);
    }
    if (place > 0) co_yield send_even_empty(ranks.rank(place - 1), is_last ? own : combined);
  }
}

}  // namespace orrery::collective::reduce
