// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes, one exchange after the other in the order of the ranks;
/// any size. MPICH does so when the blocks are replaced in place. Cost: (p − 1) · (α + nβ), n bytes per block, for the
/// last rank of all.
op::Script in_turn(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield alltoall_in_turn(call.self, call.size, outgoing, incoming);
}

}  // namespace orrery::collective::alltoallv
