// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes, linear in batches; any size.
///
/// Each rank talks to `fanout` others at a time, 32 if it is 0, the nearest first; empty blocks are not sent. p = 3:
///     0→2 1→0 2→1 0→1 1→2 2→0
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script scattered(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  const int most = call.fanout > 0 ? call.fanout : alltoall_throttle;
  co_yield linear_alltoall(call.self, call.size, outgoing, incoming, most);
}

}  // namespace orrery::collective::alltoallv
