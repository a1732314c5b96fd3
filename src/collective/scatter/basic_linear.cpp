// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::scatter {

/// Stream of one rank in a linear scatter; any size and root.
///
/// The root sends to one after the other. p = 3, root 1:
///     1→0 | 1→2
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script basic_linear(Call call) {
  co_yield scatter_in_turn(call.self, {call.size, call.root}, {output, call.bytes},
                           Blocks::equal(call.bytes, call.size), input);
}

}  // namespace orrery::collective::scatter
