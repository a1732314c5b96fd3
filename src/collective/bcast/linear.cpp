// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a linear broadcast; any size and root.
///
/// The root sends to all others, at the same time. p = 3, root 1:
///     1→0 1→2
/// Cost: (p − 1) · (α + nβ), n in bytes.
op::Script linear(Call call) {
  const Slice data{output, call.bytes};
  if (call.self != call.root) {
    co_yield recv(call.root, data);
    co_return;
  }
  Started started;
  for (int peer = 0; peer < call.size; ++peer) {
    if (peer != call.root) co_yield started.isend(peer, data);
  }
  co_yield started.wait_all();
}

}  // namespace orrery::collective::bcast
