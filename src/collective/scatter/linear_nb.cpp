// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::scatter {

/// Stream of one rank in a linear scatter; any size and root. The root sends to all others at the same time. p = 3,
/// root 1:
///     1→0 1→2
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script linear_nb(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::equal(call.bytes, call.size),
                          input);
}

}  // namespace orrery::collective::scatter
