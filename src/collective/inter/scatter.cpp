// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

/// The root sends to all ranks of the other group at the same time. Groups of 2 and 3, a and b, root a1:
///     a1→b0 a1→b1 a1→b2
/// Cost: p · (α + nβ), n bytes per block, p ranks without the root's group.
op::Script remote_linear_scatter(Call call, Blocks blocks) {
  if (opposite_root(call)) co_yield recv(remote(call, call.root), {output, call.bytes});
  if (call.root != op::root_here) co_return;
  Started started;
  for (int rank = 0; rank < call.remote_size; ++rank) {
    co_yield started.isend(remote(call, rank), blocks.at(input, rank));
  }
  co_yield started.wait_all();
}

}  // namespace

namespace scatter {

/// Stream of one rank in a scatter from a root to the other group; any sizes and root.
op::Script inter_linear(Call call) { return remote_linear_scatter(call, Blocks::equal(call.bytes, call.remote_size)); }

/// Stream of one rank in such a scatter of short messages: one message between the groups.
///
/// The root sends all blocks to the first rank, from where a binomial scatter goes on. Groups of 2 and 4, a and b, root
/// a1:
///     a1→b0 (4 blocks) | b0→b2 (2 blocks) | b0→b1 b2→b3
/// Cost: (⌈log2 p⌉ + 1) · α + (2p − 1)nβ, n bytes per block, p ranks without the root's group.
op::Script remote_send_local_scatter(Call call) {
  if (call.root == op::root_here) {
    co_yield send(remote(call, 0), Blocks::equal(call.bytes, call.remote_size).all(input));
  }
  if (!opposite_root(call)) co_return;
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  if (call.self == 0) co_yield recv(remote(call, call.root), blocks.all(scratch));
  const Region base = scratch - blocks.offset(call.self);
  co_yield binomial_scatter(call.self, {call.size, 0}, blocks, base);
  co_yield copy(output, blocks.at(base, call.self));
}

}  // namespace scatter

namespace scatterv {

/// The linear scatter with blocks of any sizes; empty ones are not sent.
op::Script inter_linear(Call call) { return remote_linear_scatter(call, Blocks::listed(call.counts)); }

}  // namespace scatterv

}  // namespace orrery::collective
