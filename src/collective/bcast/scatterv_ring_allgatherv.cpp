// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/contiguous_knomial.hpp"
#include "collective/parts/ring.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

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
