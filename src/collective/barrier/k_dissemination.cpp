// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by dissemination with a radix; any size. The radix k is `fanout`, 2 if that is less,
/// and at most p unless the call is immediate.
///
/// In round i each rank tells those k^i, 2k^i, ... (k − 1)k^i after it that it has come, and waits for those before it.
/// p = 4, k = 3; the second round repeats what is known:
///     all ranks +1 +2 | +3 +6
/// Cost: ⌈log_k p⌉ · (k − 1) · α.
op::Script k_dissemination(Call call) {
  const int k = std::max(2, call.immediate ? call.fanout : std::min(call.fanout, call.size));
  Started started;
  for (std::int64_t shift = 1; shift < call.size; shift *= k) {
    for (int i = 1; i < k; ++i) {
      const auto distance = static_cast<int>(i * shift % call.size);
      if (distance == 0) continue;  // to itself
      co_yield started.irecv_signal(before(call.self, distance, call.size));
      co_yield started.isend_signal(after(call.self, distance, call.size));
    }
    co_yield started.wait_all();
  }
}

}  // namespace orrery::collective::barrier
