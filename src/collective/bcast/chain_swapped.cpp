// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along one chain of all ranks, in which the root and rank 0 change places; any size
/// and root.
///
/// In fragments of about `segment` bytes, 16 KiB if it is 0, the last one the longest: a rank hands one on while it
/// receives the next. p = 4, root 2:
///     2→1→0→3
/// Cost, s fragments: (p + s − 2) · (α + n/s · β), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script chain_swapped(Call call) {
  const FromRoot ranks = FromRoot::swapped(call.size, call.root);
  const int place = ranks.relative(call.self);
  const bool is_last = place == call.size - 1;
  const Blocks fragments =
      Blocks::fragments(call.bytes, call.element, call.segment.count > 0 ? call.segment : Bytes{16384});
  Started round;
  for (int fragment = 0; fragment <= fragments.count(); ++fragment) {
    const int received = place > 0 ? fragment : fragments.count();
    const int sent = place > 0 ? fragment - 1 : fragment;
    if (received < fragments.count())
      co_yield round.irecv_even_empty(ranks.rank(place - 1), fragments.at(output, received));
    if (!is_last && sent >= 0 && sent < fragments.count())
      co_yield round.isend_even_empty(ranks.rank(place + 1), fragments.at(output, sent));
    co_yield round.wait_all();
  }
}

}  // namespace orrery::collective::bcast
