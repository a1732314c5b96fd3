// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::gather {

/// Stream of one rank in a linear gather; any size and root.
///
/// The root receives from all others at the same time. p = 3, root 1:
///     0→1 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script linear(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::equal(call.bytes, call.size),
                         output);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::equal(call.bytes, call.size),
                         output, Empty::Sent);
}

}  // namespace orrery::collective::gather
