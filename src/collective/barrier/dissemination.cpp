// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by dissemination; any size.
///
/// In round k each rank tells the one 2^k after it that it has come, and waits for the one 2^k before it. p = 5:
///     0→1→2→3→4→0 | 0→2→4→1→3→0 | 0→4→3→2→1→0
/// Cost: ⌈log2 p⌉ · α.
/// Source: Hensgen, Finkel, Manber 1988, doi:10.1007/BF01379320
op::Script dissemination(Call call) {
  for (int distance = 1; distance < call.size; distance *= 2) {
    co_yield exchange_signals(after(call.self, distance, call.size), before(call.self, distance, call.size));
  }
}

}  // namespace orrery::collective::barrier
