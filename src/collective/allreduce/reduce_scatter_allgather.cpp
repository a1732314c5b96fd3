// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/halving.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce of a long vector by Rabenseifner's algorithm, a reduce-scatter by recursive
/// halving and an allgather by recursive doubling; any size, any associative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get the result last. p = 6, r = 2; quarters of
/// the vector a, b, c, d, named with the rank that receives them:
///     fold 0→1 2→3 | 1:ab↔3:cd 4:ab↔5:cd | 1:a↔4:b 3:c↔5:d |
///     gather 1:b↔4:a 3:d↔5:c | 1:cd↔3:ab 4:cd↔5:ab | unfold 1→0 3→2
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script reduce_scatter_allgather(Call call) {
  const Fold fold(call.self, call.size);
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (fold.remains()) {
    const Blocks blocks = halved_blocks(call, fold.power());
    BlockRange own{0, blocks.count()};
    co_yield scatter_reduce(fold, blocks, &accumulator, &own);
    co_yield accumulator.place(output, blocks.range(accumulator.value(), own));
    for (int distance = fold.power() / 2; distance >= 1; distance /= 2) {
      const int peer = fold.rank(fold.number() ^ distance);
      co_yield exchange(peer, blocks.range(output, own), peer, blocks.range(output, own.sibling()));
      own = own.parent();
    }
  }
  co_yield fold_out(fold, {output, call.bytes});
}

}  // namespace orrery::collective::allreduce
