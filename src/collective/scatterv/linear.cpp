// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::scatterv {

/// Stream of one rank in a linear scatter of blocks of any sizes; any size and root.
///
/// The root sends to all others at the same time; empty blocks are not sent. p = 3, root 1:
///     1→0 1→2
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script linear(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::listed(call.counts), input);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::listed(call.counts), input,
                          Empty::Sent);
}

}  // namespace orrery::collective::scatterv
