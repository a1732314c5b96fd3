// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/halving.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction of a long vector by Rabenseifner's algorithm, a reduce-scatter by recursive
/// halving and a gather; any size, root and associative operation.
///
/// The odd ranks of the r = p − 2^⌊log2 p⌋ surplus pairs of neighbours first hand their operand to the even ones. Where
/// one of them is the root, it takes the place of rank 0 after the reduce-scatter. p = 6, r = 2, root 0; quarters of
/// the vector a, b, c, d, named with the rank that receives them:
///     fold 1→0 3→2 | 0:ab↔2:cd 4:ab↔5:cd | 0:a↔4:b 2:c↔5:d | gather 4→0 b, 5→2 d | 2→0 cd
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script reduce_scatter_gather(Call call) {
  const bool is_root = call.self == call.root;
  const Region home = is_root ? output : scratch + call.bytes;
  const Fold fold(call.self, call.size, Fold::Remaining::Even);
  Accumulator accumulator(call.self, call.commutative, home, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (!fold.remains() && !is_root) co_return;
  const Blocks blocks = halved_blocks(call, fold.power());
  BlockRange own{0, blocks.count()};
  if (fold.remains()) {
    co_yield scatter_reduce(fold, blocks, &accumulator, &own);
    co_yield accumulator.place(home, blocks.range(accumulator.value(), own));
  }
  const bool replaces = fold.rank(fold.number(call.root)) != call.root;  // the root is one that does not remain
  const int top = replaces ? 0 : fold.number(call.root);
  if (replaces && is_root) {
    own = {0, 1};
    co_yield recv(0, blocks.range(home, own));
  } else if (replaces && call.self == 0) {
    co_yield send(call.root, blocks.range(home, own));
    co_return;
  }
  const int number = is_root ? top : fold.number();
  for (int distance = fold.power() / 2; distance >= 1; distance /= 2) {
    const int other = number ^ distance;
    const int peer = replaces && other == 0 ? call.root : fold.rank(other);
    if (((number ^ top) & distance) != 0) {
      co_yield send(peer, blocks.range(home, own));
      co_return;
    }
    co_yield recv(peer, blocks.range(home, own.sibling()));
    own = own.parent();
  }
}

}  // namespace orrery::collective::reduce
