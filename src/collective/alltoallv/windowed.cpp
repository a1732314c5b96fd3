// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes in which 64 exchanges are under way, and the next 4 start
/// when the oldest 4 are done (`windowed_alltoall`); any size. Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script windowed(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield windowed_alltoall(call.self, call.size, outgoing, incoming, 64, 4);
}

}  // namespace orrery::collective::alltoallv
