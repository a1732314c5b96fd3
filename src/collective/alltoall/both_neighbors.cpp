// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/in_place.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all that exchanges with two ranks at a time (`alltoall_both_neighbors`); any
/// size. Open MPI does so when the blocks are replaced in place. p = 4:
///     0↔3 1↔0 2↔1 3↔2, each once as the left and once as the right one | 0↔2 1↔3
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script both_neighbors(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield alltoall_both_neighbors(call.self, call.size, blocks, blocks);
}

}  // namespace orrery::collective::alltoall
