// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::gatherv {

/// Stream of one rank in a linear gather of blocks of any sizes; any size and root.
///
/// The root receives from one after the other; empty blocks are not sent. p = 3, root 1:
///     0→1 | 2→1
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script basic_linear(Call call) {
  co_yield gather_in_turn(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::listed(call.counts), output);
}

}  // namespace orrery::collective::gatherv
