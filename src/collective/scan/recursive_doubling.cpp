// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/accumulator.hpp"
#include "collective/parts/messages.hpp"

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
