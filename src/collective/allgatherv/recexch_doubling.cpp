// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes by recursive exchange (`exchange_allgather`), distances
/// growing; any size. The radix is `fanout`, 2 if that is less.
op::Script recexch_doubling(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  if (blocks.total().count == 0) co_return;
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield exchange_allgather(call.self, blocks, call.fanout, Distance::Growing);
}

}  // namespace orrery::collective::allgatherv
