// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, linear, in the order of the ranks; any size; empty blocks are sent like others.
/// p = 3:
///     0→1 1→0 2→0 0→2 1→2 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script linear_by_rank(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield linear_alltoall_by_rank(call.self, call.size, blocks, blocks, Empty::Sent);
}

}  // namespace orrery::collective::alltoall
