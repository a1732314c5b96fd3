// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along chains that begin at the root, in segments; any size and root.
///
/// While a rank passes one segment on it receives the next. `fanout` chains, 4 if it is 0. p = 6, 2 chains:
///     0→1→2→3, 0→4→5
/// Cost, s segments, c chains of length h: (h + s − 1) · c · (α + n/s · β), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script chain(Call call) {
  const int count = call.fanout > 0 ? call.fanout : 4;
  co_yield tree_bcast(chains(call.self, {call.size, call.root}, count), segments_of(call), output);
}

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

/// Stream of one rank in a broadcast along one chain of all ranks, in segments; any size and root.
///
/// While a rank passes one segment on it receives the next. p = 3, root 0; segments a, b:
///     0→1 a | 0→1 b, 1→2 a | 1→2 b
/// Cost, s segments: (p − 2 + s) · (α + n/s · β), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script pipeline(Call call) {
  co_yield tree_bcast(chains(call.self, {call.size, call.root}, 1), segments_of(call), output);
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along chains that end at the root, in segments; any size and root,
/// operations that commute. `fanout` chains, 4 if it is 0.
///
/// Each rank combines a segment with those of its children and hands it on while the next arrives.
/// Cost: that of the broadcast along the same tree, and nγ per child.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script chain(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(chains(call.self, ranks, call.fanout > 0 ? call.fanout : 4), segments_of(call), home, scratch);
}

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

/// Stream of one rank in a reduction along one chain of all ranks that ends at the root, in segments; any
/// size and root, operations that commute.
///
/// Each rank combines a segment with those of its children and hands it on while the next arrives.
/// Cost: that of the broadcast along the same tree, and nγ per child.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script pipeline(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(chains(call.self, ranks, 1), segments_of(call), home, scratch);
}

}  // namespace orrery::collective::reduce
