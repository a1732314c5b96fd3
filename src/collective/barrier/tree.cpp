// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {
namespace {

/// Whether the two ranks that differ by this distance are nodes of the tree that are still at work.
bool joined(int peer, int distance, int size) { return peer % distance == 0 && peer < size; }

}  // namespace

/// Stream of one rank in a barrier along a binomial tree to rank 0 and back; any size. p = 4:
///     1→0 3→2 | 2→0 | 0→2 | 0→1 2→3
/// Cost: 2⌈log2 p⌉ · α.
op::Script tree(Call call) {
  const auto depth = static_cast<int>(std::bit_ceil(static_cast<unsigned>(call.size)));
  for (int distance = 1; distance < depth; distance *= 2) {
    const int peer = call.self ^ distance;
    if (!joined(peer, distance, call.size)) continue;
    co_yield peer > call.self ? await_signal(peer) : signal(peer);
  }
  for (int distance = depth / 2; distance > 0; distance /= 2) {
    const int peer = call.self ^ distance;
    if (!joined(peer, distance, call.size)) continue;
    co_yield peer > call.self ? signal(peer) : await_signal(peer);
  }
}

}  // namespace orrery::collective::barrier
