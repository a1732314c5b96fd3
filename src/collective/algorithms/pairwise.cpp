// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/linear.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/reduce_scatter.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter of a long vector, pairwise; any size, commutative operation.
///
/// In step k a rank sends the k-th one after it the block that is its, and receives its own from the k-th one before
/// it. p = 3; blocks a, b, c of ranks 0, 1, 2:
///     0→1 b, 1→2 c, 2→0 a | 0→2 c, 1→0 a, 2→1 b
/// Cost: (p − 1) · α + (p − 1)/p · n(β + γ), n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script pairwise(Call call) { co_yield pairwise_reduce_scatter(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks of a long vector, pairwise; any size, commutative operation.
///
/// In step k a rank sends the k-th one after it the block that is its, and receives its own from the k-th one before
/// it. p = 3; blocks a, b, c of ranks 0, 1, 2:
///     0→1 b, 1→2 c, 2→0 a | 0→2 c, 1→0 a, 2→1 b
/// Cost: (p − 1) · α + (p − 1)/p · n(β + γ), n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script pairwise(Call call) { co_yield pairwise_reduce_scatter(call.self, Blocks::equal(call.bytes, call.size)); }

}  // namespace orrery::collective::reduce_scatter_block

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, pairwise; any size.
///
/// In step k a rank sends to the k-th one after it and receives from the k-th one before it. p = 3:
///     0→1 1→2 2→0 | 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script pairwise(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield pairwise_alltoall(call.self, call.size, blocks, blocks);
}

/// Stream of one rank in an all-to-all, pairwise; any size. With a power of two of ranks, pairs exchange blocks: in
/// step k those whose ranks differ in the bits of k. Otherwise as `pairwise`. p = 4:
///     0↔1 2↔3 | 0↔2 1↔3 | 0↔3 1↔2
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script pairwise_xor(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  if (!std::has_single_bit(static_cast<unsigned>(call.size))) {
    co_yield pairwise_alltoall(call.self, call.size, blocks, blocks);
    co_return;
  }
  co_yield copy(blocks.at(output, call.self).region, blocks.at(input, call.self));
  for (int bits = 1; bits < call.size; ++bits) {
    const int peer = call.self ^ bits;
    co_yield exchange(peer, blocks.at(input, peer), peer, blocks.at(output, peer));
  }
}

/// Stream of one rank in an all-to-all, linear in batches; any size.
///
/// Each rank talks to `fanout` others at a time, 32 if it is 0, the nearest first. p = 3:
///     0→2 1→0 2→1 0→1 1→2 2→0
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script scattered(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const int most = call.fanout > 0 ? call.fanout : alltoall_throttle;
  co_yield linear_alltoall(call.self, call.size, blocks, blocks, most);
}

/// Stream of one rank in an all-to-all in which 64 exchanges are under way, and the next 4 start when the
/// oldest 4 are done (`windowed_alltoall`); any size. Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script windowed(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield windowed_alltoall(call.self, call.size, blocks, blocks, 64, 4);
}

}  // namespace orrery::collective::alltoall

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

/// Stream of one rank in an all-to-all of blocks of any sizes, linear in batches; any size.
///
/// Each rank talks to `fanout` others at a time, 32 if it is 0, the nearest first; empty blocks are not sent. p = 3:
///     0→2 1→0 2→1 0→1 1→2 2→0
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script scattered(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  const int most = call.fanout > 0 ? call.fanout : alltoall_throttle;
  co_yield linear_alltoall(call.self, call.size, outgoing, incoming, most);
}

/// Stream of one rank in an all-to-all of blocks of any sizes in which 64 exchanges are under way, and the next 4 start
/// when the oldest 4 are done (`windowed_alltoall`); any size. Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script windowed(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield windowed_alltoall(call.self, call.size, outgoing, incoming, 64, 4);
}

}  // namespace orrery::collective::alltoallv
