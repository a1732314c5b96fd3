// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a linear broadcast; any size and root.
///
/// The root sends to all others, at the same time. p = 3, root 1:
///     1→0 1→2
/// Cost: (p − 1) · (α + nβ), n in bytes.
op::Script linear(Call call) { co_yield linear_bcast(call.self, {call.size, call.root}, {output, call.bytes}); }

}  // namespace orrery::collective::bcast
