// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter of blocks of any sizes by recursive exchange, distances shrinking
/// (`exchange_reduction`); any size, commutative operation. The radix is `fanout`, 2 if that is less.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  const Slice sums = blocks.all(scratch);
  if (sums.bytes.count == 0) co_return;
  const Region arrived = scratch + sums.bytes;
  co_yield exchange_fold(exchange, call.self, sums, arrived);
  if (!exchange.remains()) {
    co_yield recv_even_empty(exchange.rank(exchange.number()), {output, blocks.bytes(call.self)});
    co_return;
  }
  co_yield exchange_reduction(exchange, blocks, false, Distance::Growing, scratch, arrived);
  co_yield copy(output, blocks.at(scratch, call.self));
  Started started;
  for (int rank = call.self - 1; rank >= exchange.first_of_group(); --rank)
    co_yield started.isend_even_empty(rank, blocks.at(scratch, rank));
  co_yield started.wait_all();
}

}  // namespace orrery::collective::reduce_scatter
