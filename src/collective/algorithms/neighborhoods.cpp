// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/neighborhood.hpp"

namespace orrery::collective::neighbor_allgather {

/// Stream of one rank that sends one block to all its destinations and gets one from each source, linear.
///
/// All receives and sends are started at the same time; empty blocks are not sent. On a ring of p = 4:
///     0→3 1→0 2→1 3→2 | 0→1 1→2 2→3 3→0
/// Cost: d · (α + nβ), d the larger number of neighbours on either side.
op::Script linear(Call call) { co_yield linear_exchange(call.self, *Neighborhood::of(call), true); }

}  // namespace orrery::collective::neighbor_allgather

namespace orrery::collective::neighbor_alltoall {

/// Stream of one rank that sends a block of its own to each of its destinations and gets one from each source, linear.
///
/// All receives and sends are started at the same time; empty blocks are not sent. On a ring of p = 4:
///     0→3 1→0 2→1 3→2 | 0→1 1→2 2→3 3→0
/// Cost: d · (α + nβ), d the larger number of neighbours on either side, n bytes per block on average.
op::Script linear(Call call) { co_yield linear_exchange(call.self, *Neighborhood::of(call), false); }

}  // namespace orrery::collective::neighbor_alltoall
