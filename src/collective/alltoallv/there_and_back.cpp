// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/in_place.hpp"

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes to the right and back (`alltoall_there_and_back`); any
/// size. Open MPI's component for non-blocking calls does so when the blocks are replaced in place. p = 4:
///     0→1→2→3→0 | 0→3→2→1→0 | 0↔2 1↔3
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script there_and_back(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  const Empty last = call.kind == CollectiveKind::Alltoallw ? Empty::Sent : Empty::Skipped;  // as the library does
  co_yield alltoall_there_and_back(call.self, call.size, outgoing, incoming, Empty::Skipped, last);
}

}  // namespace orrery::collective::alltoallv
