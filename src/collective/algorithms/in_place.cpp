// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/in_place.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all that exchanges with two ranks at a time (`alltoall_both_neighbors`); any
/// size. Open MPI does so when the blocks are replaced in place. p = 4:
///     0↔3 1↔0 2↔1 3↔2, each once as the left and once as the right one | 0↔2 1↔3
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script both_neighbors(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield alltoall_both_neighbors(call.self, call.size, blocks, blocks);
}

/// Stream of one rank in an all-to-all to the right and back (`alltoall_there_and_back`); any size. Open MPI's
/// component for non-blocking calls does so when the blocks are replaced in place. p = 4:
///     0→1→2→3→0 | 0→3→2→1→0 | 0↔2 1↔3
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script there_and_back(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield alltoall_there_and_back(call.self, call.size, blocks, blocks, Empty::Sent, Empty::Sent);
}

/// Stream of one rank in an all-to-all, one exchange after the other in the order of the ranks; any size. MPICH
/// does so when the blocks are replaced in place. Cost: (p − 1) · (α + nβ), n bytes per block, for the last rank of
/// all.
op::Script in_turn(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield alltoall_in_turn(call.self, call.size, blocks, blocks);
}

}  // namespace orrery::collective::alltoall

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes that exchanges with two ranks at a time
/// (`alltoall_both_neighbors`); any size. Open MPI does so when the blocks are replaced in place. p = 4:
///     0↔3 1↔0 2↔1 3↔2, each once as the left and once as the right one | 0↔2 1↔3
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script both_neighbors(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield alltoall_both_neighbors(call.self, call.size, outgoing, incoming);
}

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
