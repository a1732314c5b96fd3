// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/hand_over.hpp"

namespace orrery::collective::reduce {

HandOver binomial_swapped_hands_over(const Call& call) {
  return call.commutative ? HandOver{} : HandOver{"binomial", does_not_commute};
}

/// Stream of one rank in a reduction along a binomial tree, in which the root and rank 0 change places; any size, root
/// and associative operation. p = 6, root 2:
///     1→2 3→0 5→4 | 0→2 | 4→2
/// If the operation does not commute the tree hangs below rank 0, which sends the result to the root.
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ), n in bytes; α + nβ more in the latter case.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script binomial_swapped(Call call) {
  if (binomial_swapped_hands_over(call)) {
    co_yield binomial(call);
    co_return;
  }
  const bool is_root = call.self == call.root;
  Accumulator accumulator(call.self, call.commutative, is_root ? output : scratch + call.bytes, scratch);
  co_yield binomial_reduce(call.self, FromRoot::swapped(call.size, call.root), &accumulator, call.bytes);
  if (is_root) co_yield accumulator.place(output, {accumulator.value(), call.bytes});
}

}  // namespace orrery::collective::reduce
