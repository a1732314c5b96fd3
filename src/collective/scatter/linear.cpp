// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::scatter {

/// Stream of one rank in a linear scatter; any size and root.
///
/// The root sends to all others at the same time. p = 3, root 1:
///     1→0 1→2
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script linear(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::equal(call.bytes, call.size),
                          input);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::equal(call.bytes, call.size),
                          input, Empty::Sent);
}

}  // namespace orrery::collective::scatter
