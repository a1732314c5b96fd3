// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along a binary tree that combines operands in the order of the ranks, in segments;
/// any size, root and associative operation. The tree ends at the last rank, which sends the result to the root.
/// p = 5, root 0:
///     2→3 0→1 | 3→4 1→4 | 4→0
/// Cost, s segments: (log2 p + s − 1) · 2(α + n/s · (β + γ)) + α + nβ, n in bytes.
op::Script in_order_binary(Call call) {
  const int top = call.size - 1;
  const bool is_root = call.self == call.root;
  const Region home = is_root && call.root == top ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(in_order_binary_tree(call.self, call.size), segments_of(call), home, scratch);
  if (call.root == top) co_return;
  if (call.self == top) co_yield send(call.root, {home, call.bytes});
  if (is_root) co_yield recv(top, {output, call.bytes});
}

}  // namespace orrery::collective::reduce
