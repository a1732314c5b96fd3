// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes (and datatypes: alltoallw), linear; any size.
///
/// Each rank receives from all others and sends to all others at the same time; empty blocks are not sent. p = 3:
///     0→1 1→2 2→0 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block on average.
op::Script linear(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield linear_alltoall(call.self, call.size, outgoing, incoming);
}

}  // namespace orrery::collective::alltoallv
