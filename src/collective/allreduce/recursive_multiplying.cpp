// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allreduce {

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
