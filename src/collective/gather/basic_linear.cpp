// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::gather {

/// Stream of one rank in a linear gather; any size and root.
///
/// The root receives from one after the other. p = 3, root 1:
///     0→1 | 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script basic_linear(Call call) {
  co_yield gather_in_turn(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::equal(call.bytes, call.size),
                          output);
}

}  // namespace orrery::collective::gather
