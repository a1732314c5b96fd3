// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along the binomial tree whose distances double, in which the root and rank 0
/// change places; any size and root. p = 6, root 2:
///     2→1 | 2→0 1→3 | 2→4 1→5
/// Cost: ⌈log2 p⌉ · (α + nβ), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script binomial_swapped(Call call) {
  const FromRoot ranks = FromRoot::swapped(call.size, call.root);
  co_yield tree_bcast(doubling_tree(call.self, ranks), Blocks::segments(call.bytes, call.element, {}), output);
}

}  // namespace orrery::collective::bcast
