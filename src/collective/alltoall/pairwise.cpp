// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, pairwise; any size.
///
/// In step k a rank sends to the k-th one after it and receives from the k-th one before it. p = 3:
///     0→1 1→2 2→0 | 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script pairwise(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield pairwise_alltoall(call.self, call.size, blocks, blocks);
}

}  // namespace orrery::collective::alltoall
