// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/accumulator.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/doubling_allgather.hpp"
#include "collective/parts/doubling_allreduce.hpp"
#include "collective/parts/doubling_reduce_scatter.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by recursive doubling; any size.
///
/// Ranks from 2^⌊log2 p⌋ on hand over to the rank as far below them, and are told at the end. p = 6:
///     4→0 5→1 | 0↔1 2↔3 | 0↔2 1↔3 | 0→4 1→5
/// Cost: (log2 p, and 2 if p is no power of two) · α.
op::Script recursive_doubling(Call call) {
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(call.size)));
  if (call.self >= power) {
    co_yield exchange_signals(call.self - power, call.self - power);
    co_return;
  }
  const bool stands_for_two = call.self + power < call.size;
  if (stands_for_two) co_yield await_signal(call.self + power);
  for (int distance = 1; distance < power; distance *= 2)
    co_yield exchange_signals(call.self ^ distance, call.self ^ distance);
  if (stands_for_two) co_yield signal(call.self + power);
}

/// Stream of one rank in a barrier by dissemination; any size.
///
/// In round k each rank tells the one 2^k after it that it has come, and waits for the one 2^k before it. p = 5:
///     0→1→2→3→4→0 | 0→2→4→1→3→0 | 0→4→3→2→1→0
/// Cost: ⌈log2 p⌉ · α.
/// Source: Hensgen, Finkel, Manber 1988, doi:10.1007/BF01379320
op::Script dissemination(Call call) {
  for (int distance = 1; distance < call.size; distance *= 2) {
    co_yield exchange_signals(after(call.self, distance, call.size), before(call.self, distance, call.size));
  }
}

/// Stream of one rank in a barrier by dissemination with a radix; any size. The radix k is `fanout`, 2 if that is less,
/// and at most p unless the call is immediate.
///
/// In round i each rank tells those k^i, 2k^i, ... (k − 1)k^i after it that it has come, and waits for those before it.
/// p = 4, k = 3; the second round repeats what is known:
///     all ranks +1 +2 | +3 +6
/// Cost: ⌈log_k p⌉ · (k − 1) · α.
op::Script k_dissemination(Call call) {
  const int k = std::max(2, call.immediate ? call.fanout : std::min(call.fanout, call.size));
  Started started;
  for (std::int64_t shift = 1; shift < call.size; shift *= k) {
    for (int i = 1; i < k; ++i) {
      const auto distance = static_cast<int>(i * shift % call.size);
      if (distance == 0) continue;  // to itself
      co_yield started.irecv_signal(before(call.self, distance, call.size));
      co_yield started.isend_signal(after(call.self, distance, call.size));
    }
    co_yield started.wait_all();
  }
}

}  // namespace orrery::collective::barrier

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by recursive doubling; any size, any associative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get the result last. p = 6, r = 2:
///     fold 0→1 2→3 | 1↔3 4↔5 | 1↔4 3↔5 | unfold 1→0 3→2
/// Cost, p a power of two: log2 p · (α + nβ + nγ), n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  return doubling_allreduce(call, [](int number, int step, int) { return number ^ 1 << step; });
}

/// Stream of one rank in an allreduce by recursive multiplying, that is recursive doubling by a radix; any size,
/// commutative operation. The radix k is `fanout`, 2 if that is less.
///
/// Ranks from k^h on, the largest power of k, hand over to the one with the same number below it, and get the result
/// last. p = 5, k = 3:
///     3→0 4→1 | 0↔1 0↔2 1↔2 | 0→3 1→4
/// Cost, p a power of k: log_k p · (k − 1) · (α + nβ + nγ), n in bytes.
op::Script recursive_multiplying(Call call) {
  const int k = std::max(2, call.fanout);
  int power = 1;
  while (power <= call.size / k) power *= k;
  const Slice sum{output, call.bytes};
  const auto operand = [&](int i) { return Slice{scratch + call.bytes * i, call.bytes}; };
  if (call.self >= power) {
    co_yield send(call.self % power, {input, call.bytes});
    co_yield recv(call.self % power, sum);
    co_return;
  }
  Started started;
  co_yield copy(output, {input, call.bytes});
  int operands = 0;
  for (int rank = call.self + power; rank < call.size; rank += power) co_yield started.irecv(rank, operand(operands++));
  co_yield started.wait_all();
  for (int i = 0; i < operands; ++i) co_yield combine(output, operand(i));
  for (int distance = 1; distance < power; distance *= k) {
    const int first = call.self / (distance * k) * (distance * k) + call.self % distance;
    operands = 0;
    for (int i = 0; i < k; ++i) {
      const int peer = first + i * distance;
      if (peer == call.self) continue;
      co_yield started.irecv(peer, operand(operands++));
      co_yield started.isend(peer, sum);
    }
    co_yield started.wait_all();
    for (int i = 0; i < operands; ++i) co_yield combine(output, operand(i));
  }
  for (int rank = call.self + power; rank < call.size; rank += power) co_yield started.isend(rank, sum);
  co_yield started.wait_all();
}

}  // namespace orrery::collective::allreduce

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter of blocks of any sizes by recursive doubling (`doubling_reduce_scatter`); any
/// size, any associative operation.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  co_yield doubling_reduce_scatter(call.self, call.commutative, blocks);
}

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks by recursive doubling (`doubling_reduce_scatter`); any size,
/// any associative operation.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  co_yield doubling_reduce_scatter(call.self, call.commutative, Blocks::equal(call.bytes, call.size));
}

}  // namespace orrery::collective::reduce_scatter_block

namespace orrery::collective::scan {

/// Stream of one rank in an inclusive prefix reduction by recursive doubling; any size, any associative operation.
///
/// In step k a rank exchanges the reduction over its group of 2^k ranks with the rank that differs in bit k; who is the
/// upper one also puts it before its own prefix. p = 5:
///     0↔1 2↔3 | 0↔2 1↔3 | 0↔4
/// Cost: ⌈log2 p⌉ · (α + nβ + 2nγ), n in bytes.
op::Script recursive_doubling(Call call) {
  Accumulator group(call.self, call.commutative, scratch, scratch + call.bytes);
  co_yield copy(output, {input, call.bytes});
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int peer = call.self ^ distance;
    if (peer >= call.size) continue;
    const Slice arrived{group.incoming(), call.bytes};
    co_yield exchange(peer, {group.value(), call.bytes}, peer, arrived);
    if (peer < call.self) co_yield combine(output, arrived);
    co_yield group.absorb_from(peer, arrived);
  }
}

}  // namespace orrery::collective::scan

namespace orrery::collective::exscan {

/// Stream of one rank in an exclusive prefix reduction by recursive doubling; any size, any associative operation. The
/// output of rank 0 is left alone.
///
/// In step k a rank exchanges the reduction over its group of 2^k ranks with the rank that differs in bit k; who is the
/// upper one also puts it before its own prefix. p = 5:
///     0↔1 2↔3 | 0↔2 1↔3 | 0↔4
/// Cost: ⌈log2 p⌉ · (α + nβ + 2nγ), n in bytes.
op::Script recursive_doubling(Call call) {
  Accumulator group(call.self, call.commutative, scratch, scratch + call.bytes);
  bool has_prefix = false;
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int peer = call.self ^ distance;
    if (peer >= call.size) continue;
    const Slice arrived{group.incoming(), call.bytes};
    co_yield exchange(peer, {group.value(), call.bytes}, peer, arrived);
    if (peer < call.self) {
      co_yield has_prefix ? combine(output, arrived) : copy(output, arrived);
      has_prefix = true;
    }
    co_yield group.absorb_from(peer, arrived);
  }
}

}  // namespace orrery::collective::exscan

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by recursive doubling; the size must be a power of two.
///
/// In step k a rank exchanges the 2^k blocks that it has with the rank that differs in bit k. p = 4:
///     0↔1 2↔3 | 0↔2 1↔3 (2 blocks)
/// Cost: log2 p · α + (p − 1)nβ, n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  BlockRange own{call.self, call.self + 1};
  co_yield copy(blocks.at(output, call.self).region, {input, call.bytes});
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int peer = call.self ^ distance;
    co_yield exchange(peer, blocks.range(output, own), peer, blocks.range(output, own.sibling()));
    own = own.parent();
  }
}

}  // namespace orrery::collective::allgather

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes by recursive doubling; the size must be a power of two.
///
/// In step k a rank exchanges the 2^k blocks that it has with the rank that differs in bit k; empty ones too. p = 4:
///     0↔1 2↔3 | 0↔2 1↔3 (2 blocks)
/// Cost, equal blocks: log2 p · α + (p − 1)/p · nβ, n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  if (blocks.total().count == 0) co_return;
  co_yield copy(blocks.at(output, call.self).region, {input, blocks.bytes(call.self)});
  co_yield doubling_allgather(call.self, {call.size, 0}, blocks, output);
}

}  // namespace orrery::collective::allgatherv
