// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast from one group to the other; any sizes and root.
///
/// The root sends to the first rank of the other group, which broadcasts there along a binomial tree. Groups of 2 and
/// 4, a and b, root a1:
///     a1→b0 | b0→b2 | b0→b1 b2→b3
/// Cost: (1 + ⌈log2 p⌉) · (α + nβ), n in bytes, p ranks without the root's group.
op::Script remote_send_local_bcast(Call call) {
  const Slice data{output, call.bytes};
  if (call.root == op::root_here) co_yield send(remote(call, 0), data);
  if (!opposite_root(call)) co_return;
  if (call.self == 0) co_yield recv(remote(call, call.root), data);
  co_yield bcast_from_first(call.self, call.size, data);
}

}  // namespace orrery::collective::bcast
