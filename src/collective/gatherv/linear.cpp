// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::gatherv {

/// Stream of one rank in a linear gather of blocks of any sizes; any size and root.
///
/// The root receives from all others at the same time; empty blocks are not sent. p = 3, root 1:
///     0→1 2→1
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script linear(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::listed(call.counts), output);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::listed(call.counts), output,
                         Empty::Sent);
}

}  // namespace orrery::collective::gatherv
