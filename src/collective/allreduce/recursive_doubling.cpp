// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/fold.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by recursive doubling; any size, any associative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get the result last. p = 6, r = 2:
///     fold 0→1 2→3 | 1↔3 4↔5 | 1↔4 3↔5 | unfold 1→0 3→2
/// Cost, p a power of two: log2 p · (α + nβ + nγ), n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  const Fold fold(call.self, call.size);
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (fold.remains()) {
    for (int distance = 1; distance < fold.power(); distance *= 2) {
      const int peer = fold.rank(fold.number() ^ distance);
      const Slice arrived{accumulator.incoming(), call.bytes};
      co_yield exchange(peer, {accumulator.value(), call.bytes}, peer, arrived);
      co_yield accumulator.absorb_from(peer, arrived);
    }
    co_yield accumulator.place(output, {accumulator.value(), call.bytes});
  }
  co_yield fold_out(fold, {output, call.bytes});
}

}  // namespace orrery::collective::allreduce
