// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/bruck.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by Bruck's algorithm; any size. The radix is `fanout`, 2 if that is
/// less.
///
/// In step k a rank sends the 2^k blocks that it had first, or as many as are missing, to the rank 2^k before it. p =
/// 5:
///     0→4→3→2→1→0 | 0→3→1→4→2→0 (2 blocks) | 0→1→2→3→4→0 (1 block)
/// Cost: ⌈log2 p⌉ · α + (p − 1)nβ, n bytes per block.
/// Source: Bruck et al. 1997, doi:10.1109/71.642949
op::Script bruck(Call call) { co_yield bruck_allgather(call.self, Blocks::equal(call.bytes, call.size), call.fanout); }

}  // namespace orrery::collective::allgather
