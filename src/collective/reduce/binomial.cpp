// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/binomial.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along a binomial tree; any size, root and associative operation.
///
/// Each rank combines what its subtree has and sends it to its parent. p = 6, root 0:
///     1→0 3→2 5→4 | 2→0 | 4→0
/// The tree hangs below the root if the operation commutes, and the vector may go in segments; otherwise it hangs below
/// rank 0, which sends the result to the root.
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ), n in bytes; α + nβ more in the latter case.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script binomial(Call call) {
  const FromRoot ranks{call.size, call.commutative ? call.root : 0};
  const bool is_root = call.self == call.root;
  const Region home = is_root ? output : scratch + call.bytes * 2;
  if (call.commutative) {
    co_yield tree_reduce(in_order_tree(call.self, ranks), segments_of(call), home, scratch);
    co_return;
  }
  Accumulator accumulator(call.self, call.commutative, home, scratch);
  co_yield binomial_reduce(call.self, ranks, &accumulator, call.bytes);
  const Slice result{accumulator.value(), call.bytes};
  if (call.root == 0) {
    if (is_root) co_yield accumulator.place(output, result);
  } else if (call.self == 0) {
    co_yield send(call.root, result);
  } else if (is_root) {
    co_yield recv(0, {output, call.bytes});
  }
}

}  // namespace orrery::collective::reduce
