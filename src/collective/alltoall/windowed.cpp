// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all in which 64 exchanges are under way, and the next 4 start when the
/// oldest 4 are done (`windowed_alltoall`); any size. Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script windowed(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield windowed_alltoall(call.self, call.size, blocks, blocks, 64, 4);
}

}  // namespace orrery::collective::alltoall
