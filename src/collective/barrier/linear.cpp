// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a linear barrier; any size.
///
/// All ranks report to rank 0, which then releases all. p = 3:
///     1→0 2→0 | 0→1 0→2
/// Cost: 2(p − 1) · α at rank 0.
op::Script linear(Call call) {
  if (call.self != 0) {
    co_yield signal(0);
    co_yield await_signal(0);
    co_return;
  }
  Started started;
  for (int peer = 1; peer < call.size; ++peer) co_yield started.irecv_signal(peer);
  co_yield started.wait_all();
  for (int peer = 1; peer < call.size; ++peer) co_yield started.isend_signal(peer);
  co_yield started.wait_all();
}

}  // namespace orrery::collective::barrier
