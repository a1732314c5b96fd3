// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::scatterv {

/// Stream of one rank in a linear scatter of blocks of any sizes; any size and root.
///
/// The root sends to one after the other; empty blocks are not sent. p = 3, root 1:
///     1→0 | 1→2
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script basic_linear(Call call) {
  co_yield scatter_in_turn(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::listed(call.counts), input);
}

}  // namespace orrery::collective::scatterv
