// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by recursive exchange; any size. The radix k is `fanout`, 2 if that is less. Surplus
/// ranks report to a neighbour and are released by it (`RecursiveExchange`). p = 4, k = 3:
///     0→1 | 1↔2 1↔3 2↔3 | 1→0
/// Cost, p a power of k: log_k p · (k − 1) · α.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const int self = exchange.number();
  if (!exchange.remains()) {
    const int proxy = exchange.rank(self);
    co_yield exchange_signals(proxy, proxy);
    co_return;
  }
  Started started;
  for (int rank = call.self - 1; rank >= exchange.first_of_group(); --rank) co_yield started.irecv_signal(rank);
  co_yield started.wait_all();
  for (int phase = 0; phase < exchange.phases(); ++phase) {
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, phase, i);
      if (peer == self) continue;
      co_yield started.irecv_signal(exchange.rank(peer));
      co_yield started.isend_signal(exchange.rank(peer));
    }
    co_yield started.wait_all();
  }
  for (int rank = call.self - 1; rank >= exchange.first_of_group(); --rank) co_yield started.isend_signal(rank);
  co_yield started.wait_all();
}

}  // namespace orrery::collective::barrier

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by recursive exchange, that is recursive doubling by a radix; any size, any
/// associative operation. The radix k is `fanout`, 2 if that is less.
///
/// Surplus ranks hand over to a neighbour first and get the result last (`RecursiveExchange`). p = 7, k = 3:
///     fold 0→2 1→2 3→5 4→5 | 2↔5 2↔6 5↔6 | unfold 2→1 2→0 5→4 5→3
/// Cost, p a power of k: log_k p · (k − 1) · (α + nβ + nγ), n in bytes.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Slice sum{output, call.bytes};
  const auto operand = [&](int i) { return Slice{scratch + call.bytes * i, call.bytes}; };
  co_yield exchange_fold(exchange, call.self, sum, scratch);
  const int self = exchange.number();
  Started started;
  for (int phase = 0; exchange.remains() && phase < exchange.phases(); ++phase) {
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, phase, i);
      if (peer != self) co_yield started.irecv(exchange.rank(peer), operand(i));
    }
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, phase, i);
      if (peer != self) co_yield started.isend(exchange.rank(peer), sum);
    }
    co_yield started.wait_all();
    int own = 0;
    while (exchange.partner(self, phase, own) != self) ++own;
    for (int i = own - 1; i >= 0; --i) co_yield combine(output, operand(i));
    for (int i = own + 1; i < exchange.radix(); ++i) {
      if (call.commutative) {
        co_yield combine(output, operand(i));
      } else {
        co_yield combine(operand(i).region, sum);
        co_yield copy(output, operand(i));
      }
    }
  }
  co_yield exchange_unfold(exchange, call.self, sum);
}

/// Stream of one rank in an allreduce of a long vector by Rabenseifner's algorithm with a radix: a reduce-scatter and
/// an allgather by recursive exchange; any size, commutative operation. The radix k is `fanout`, 2 if that is less. The
/// vector is cut into as many blocks as ranks remain in `RecursiveExchange`; the last one takes the rest. p = 3, k = 3;
/// blocks a, b, c, named with the rank that receives them:
///     0:a↔1:b 0:a↔2:c 1:b↔2:c | 0:b↔1:a 0:c↔2:a 1:c↔2:b
/// Cost, p a power of k: 2 log_k p · (k − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
op::Script k_reduce_scatter_allgather(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Slice sum{output, call.bytes};
  const Blocks blocks = Blocks::rest_to_last(call.bytes, call.element, exchange.power());
  if (call.bytes.count == 0) co_return;
  co_yield exchange_fold(exchange, call.self, sum, scratch);
  if (exchange.remains()) {
    co_yield exchange_reduction(exchange, blocks, true, Distance::Shrinking, output, scratch);
    co_yield exchange_phases(exchange, blocks, true, Distance::Shrinking);
  }
  co_yield exchange_unfold(exchange, call.self, sum);
}

}  // namespace orrery::collective::allreduce

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter of blocks of any sizes by recursive exchange, distances shrinking
/// (`exchange_reduction`); any size, commutative operation. The radix is `fanout`, 2 if that is less.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  co_yield exchange_reduce_scatter(call.self, exchange, blocks);
}

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks by recursive exchange, distances shrinking
/// (`exchange_reduction`); any size, commutative operation. The radix is `fanout`, 2 if that is less.
op::Script recexch(Call call) {
  const RecursiveExchange exchange(call.self, call.size, call.fanout);
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield exchange_reduce_scatter(call.self, exchange, blocks);
}

}  // namespace orrery::collective::reduce_scatter_block

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by recursive exchange (`exchange_allgather`), distances growing;
/// any size. The radix is `fanout`, 2 if that is less.
op::Script recexch_doubling(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  if (blocks.total().count == 0) co_return;
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield exchange_allgather(call.self, blocks, call.fanout, Distance::Growing);
}

/// Stream of one rank in an allgather by recursive exchange (`exchange_allgather`), distances shrinking;
/// any size. The radix is `fanout`, 2 if that is less.
op::Script recexch_halving(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  if (blocks.total().count == 0) co_return;
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield exchange_allgather(call.self, blocks, call.fanout, Distance::Shrinking);
}

}  // namespace orrery::collective::allgather

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes by recursive exchange (`exchange_allgather`), distances
/// growing; any size. The radix is `fanout`, 2 if that is less.
op::Script recexch_doubling(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  if (blocks.total().count == 0) co_return;
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield exchange_allgather(call.self, blocks, call.fanout, Distance::Growing);
}

/// Stream of one rank in an allgather of blocks of any sizes by recursive exchange (`exchange_allgather`), distances
/// shrinking; any size. The radix is `fanout`, 2 if that is less.
op::Script recexch_halving(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  if (blocks.total().count == 0) co_return;
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield exchange_allgather(call.self, blocks, call.fanout, Distance::Shrinking);
}

}  // namespace orrery::collective::allgatherv
