// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, linear in batches; any size.
///
/// Each rank talks to `fanout` others at a time, 32 if it is 0, the nearest first. p = 3:
///     0→2 1→0 2→1 0→1 1→2 2→0
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script scattered(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const int most = call.fanout > 0 ? call.fanout : alltoall_throttle;
  co_yield linear_alltoall(call.self, call.size, blocks, blocks, most);
}

}  // namespace orrery::collective::alltoall
