// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/binomial.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce along two binomial trees, one to rank 0, in which the subtree of a rank are the
/// ranks from it on, and one back, whose distances double; any size, any associative operation. p = 4:
///     1→0 3→2 | 2→0 | 0→1 | 0→2 1→3
/// Cost: ⌈log2 p⌉ · (2α + 2nβ + nγ), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script binomial(Call call) {
  const FromRoot ranks{call.size, 0};
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield binomial_reduce(call.self, ranks, &accumulator, call.bytes);
  if (call.self == 0) co_yield accumulator.place(output, {accumulator.value(), call.bytes});
  co_yield tree_bcast(doubling_tree(call.self, ranks), Blocks::segments(call.bytes, call.element, {}), output);
}

}  // namespace orrery::collective::allreduce
