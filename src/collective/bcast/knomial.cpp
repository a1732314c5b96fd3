// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a k-nomial tree, in segments; any size and root. k is `fanout`, 4 if that is
/// less than 2. p = 6, k = 3, root 0:
///     0→3 | 0→1 0→2 3→4 3→5
/// Cost of one segment: (k − 1) · ⌈log_k p⌉ · (α + nβ) at most, n in bytes.
op::Script knomial(Call call) {
  const int k = call.fanout > 1 ? call.fanout : 4;
  co_yield tree_bcast(knomial_tree(call.self, {call.size, call.root}, k), segments_of(call), output);
}

}  // namespace orrery::collective::bcast
