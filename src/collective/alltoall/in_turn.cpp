// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, one exchange after the other in the order of the ranks; any size. MPICH
/// does so when the blocks are replaced in place. Cost: (p − 1) · (α + nβ), n bytes per block, for the last rank of
/// all.
op::Script in_turn(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield alltoall_in_turn(call.self, call.size, blocks, blocks);
}

}  // namespace orrery::collective::alltoall
