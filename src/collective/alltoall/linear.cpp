// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, linear; any size.
///
/// Each rank receives from all others and sends to all others at the same time. p = 3:
///     0→1 1→2 2→0 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script linear(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield linear_alltoall(call.self, call.size, blocks, blocks);
}

}  // namespace orrery::collective::alltoall
