// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {

namespace allgather {

/// Stream of one rank in an allgather, in which each group gets the blocks of the other; any sizes.
///
/// Each group gathers at its first rank; these exchange what they have and broadcast it. Groups of 3 and 2, a and b:
///     a1→a0, b1→b0 | a2→a0 | a0→b0 (3 blocks), b0→a0 (2 blocks) | a0→a2, b0→b1 | a0→a1
/// Cost: (2⌈log2 p⌉ + 1) · α + (2 + ⌈log2 p⌉) · pnβ, n bytes per block, p being the larger size.
op::Script local_gather_remote_bcast(Call call) {
  const Slice own = Blocks::equal(call.bytes, call.size).all(scratch);
  const Slice theirs = Blocks::equal({call.counts[0]}, call.remote_size).all(output);
  if (call.bytes.count > 0) co_yield gather_to_first(call.self, call.size, call.bytes);
  if (call.self == 0) co_yield exchange(remote(call, 0), own, remote(call, 0), theirs);
  co_yield bcast_from_first(call.self, call.size, theirs);
}

}  // namespace allgather

namespace allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes, in which each group gets those of the other.
///
/// Each rank sends its block to the first one of the other group, which broadcasts all of them; empty ones are not
/// sent. Groups of 3 and 2, a and b:
///     a0→b0 a1→b0 a2→b0, b0→a0 b1→a0 | a0→a2, b0→b1 | a0→a1
/// Cost: (p + ⌈log2 p⌉) · α + (1 + ⌈log2 p⌉) · nβ, n bytes of all blocks of a group, p being the larger size.
op::Script remote_gather_local_bcast(Call call) {
  const Blocks blocks = Blocks::listed(call.counts);
  Started started;
  for (int rank = 0; call.self == 0 && rank < call.remote_size; ++rank) {
    co_yield started.irecv(remote(call, rank), blocks.at(output, rank));
  }
  co_yield started.isend(remote(call, 0), {input, call.bytes});
  co_yield started.wait_all();
  co_yield bcast_from_first(call.self, call.size, blocks.all(output));
}

}  // namespace allgatherv

}  // namespace orrery::collective
