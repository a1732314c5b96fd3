// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

/// The root receives from all ranks of the other group at the same time. Groups of 2 and 3, a and b, root a1:
///     b0→a1 b1→a1 b2→a1
/// Cost: p · (α + nβ), n bytes per block, p ranks without the root's group.
op::Script remote_linear_gather(Call call, Blocks blocks) {
  if (opposite_root(call)) co_yield send(remote(call, call.root), {input, call.bytes});
  if (call.root != op::root_here) co_return;
  Started started;
  for (int rank = 0; rank < call.remote_size; ++rank) {
    co_yield started.irecv(remote(call, rank), blocks.at(output, rank));
  }
  co_yield started.wait_all();
}

}  // namespace

namespace gather {

/// Stream of one rank in a gather from one group to a root in the other; any sizes and root.
op::Script inter_linear(Call call) { return remote_linear_gather(call, Blocks::equal(call.bytes, call.remote_size)); }

/// Stream of one rank in such a gather of short messages: one message between the groups.
///
/// A binomial gather at the first rank, which sends all blocks to the root. Groups of 2 and 4, a and b, root a1:
///     b1→b0 b3→b2 | b2→b0 (2 blocks) | b0→a1 (4 blocks)
/// Cost: (⌈log2 p⌉ + 1) · α + (2p − 1)nβ, n bytes per block, p ranks without the root's group.
op::Script local_gather_remote_send(Call call) {
  if (call.root == op::root_here) {
    co_yield recv(remote(call, 0), Blocks::equal(call.bytes, call.remote_size).all(output));
  }
  if (!opposite_root(call)) co_return;
  co_yield gather_to_first(call.self, call.size, call.bytes);
  if (call.self == 0) co_yield send(remote(call, call.root), Blocks::equal(call.bytes, call.size).all(scratch));
}

}  // namespace gather

namespace gatherv {

/// The linear gather with blocks of any sizes; empty ones are not sent.
op::Script inter_linear(Call call) { return remote_linear_gather(call, Blocks::listed(call.counts)); }

}  // namespace gatherv

}  // namespace orrery::collective
