// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes (and datatypes: alltoallw), pairwise; any size.
///
/// In step k a rank sends to the k-th one after it and receives from the k-th one before it; empty blocks are not sent.
/// p = 3:
///     0→1 1→2 2→0 | 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block on average.
op::Script pairwise(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield pairwise_alltoall(call.self, call.size, outgoing, incoming);
}

/// `pairwise` with empty blocks sent like others.
op::Script pairwise_even_empty(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield pairwise_alltoall(call.self, call.size, outgoing, incoming, Empty::Sent);
}

}  // namespace orrery::collective::alltoallv
