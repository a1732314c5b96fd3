// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/contiguous_knomial.hpp"
#include "collective/parts/embed.hpp"
#include "collective/parts/recursive_exchange.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

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

}  // namespace orrery::collective::bcast
