// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in a linear allgather; any size.
///
/// Each rank receives from all others and sends to all others at the same time, in the order of the ranks; empty blocks
/// too. p = 3:
///     0→1 1→0 2→0 0→2 1→2 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script linear_by_rank(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const Slice own{input, call.bytes};
  Started started(Empty::Sent);
  for (int peer = 0; peer < call.size; ++peer) {
    if (peer == call.self) continue;
    co_yield started.irecv(peer, blocks.at(output, peer));
    co_yield started.isend(peer, own);
  }
  co_yield copy(blocks.at(output, call.self).region, own);
  co_yield started.wait_all();
}

}  // namespace orrery::collective::allgather
