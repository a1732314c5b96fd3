// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes, pairwise, in which a rank sends to itself as it does to
/// others, and first; any size. Empty blocks are not sent. p = 3:
///     0→0 1→1 2→2 | 0→1 1→2 2→0 | 0→2 1→0 2→1
/// Cost: p · (α + nβ), n bytes per block on average.
op::Script pairwise_with_self(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  for (int distance = 0; distance < call.size; ++distance) {
    const int to = after(call.self, distance, call.size);
    const int from = before(call.self, distance, call.size);
    co_yield exchange(to, outgoing.at(input, to), from, incoming.at(output, from));
  }
}

}  // namespace orrery::collective::alltoallv
