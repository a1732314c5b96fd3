// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {

/// Stream of one of two ranks in a barrier: each tells the other. Cost: α.
op::Script two_proc(Call call) { co_yield exchange_signals(1 - call.self, 1 - call.self); }

}  // namespace orrery::collective::barrier
