// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/halving.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction of a long vector by Rabenseifner's algorithm, a reduce-scatter by recursive
/// halving and a gather; any size, root and associative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks, never the root, first hand their operand to a neighbour. p = 6, r = 2, root 0;
/// quarters of the vector a, b, c, d, named with the rank that receives them:
///     fold 1→0 2→3 | 0:ab↔3:cd 4:ab↔5:cd | 0:a↔4:b 3:c↔5:d | gather 4→0 b, 5→3 d | 3→0 cd
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script reduce_scatter_gather(Call call) {
  const bool is_root = call.self == call.root;
  const Region home = is_root ? output : scratch + call.bytes;
  const Fold fold(call.self, call.size, call.root);
  Accumulator accumulator(call.self, call.commutative, home, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (!fold.remains()) co_return;

  const Blocks blocks = Blocks::split(call.bytes, call.element, fold.power());
  BlockRange own{0, blocks.count()};
  co_yield scatter_reduce(fold, blocks, &accumulator, &own);
  co_yield accumulator.place(home, blocks.range(accumulator.value(), own));

  const int towards_root = fold.number() ^ fold.number(call.root);
  for (int distance = fold.power() / 2; distance >= 1; distance /= 2) {
    const int peer = fold.rank(fold.number() ^ distance);
    if ((towards_root & distance) != 0) {
      co_yield send(peer, blocks.range(home, own));
      co_return;
    }
    co_yield recv(peer, blocks.range(home, own.sibling()));
    own = own.parent();
  }
}

}  // namespace orrery::collective::reduce
