// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier by recursive doubling; any size.
///
/// Ranks from 2^⌊log2 p⌋ on hand over to the rank as far below them, and are told at the end. p = 6:
///     4→0 5→1 | 0↔1 2↔3 | 0↔2 1↔3 | 0→4 1→5
/// Cost: (log2 p, and 2 if p is no power of two) · α.
op::Script recursive_doubling(Call call) {
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(call.size)));
  if (call.self >= power) {
    co_yield exchange_signals(call.self - power, call.self - power);
    co_return;
  }
  const bool stands_for_two = call.self + power < call.size;
  if (stands_for_two) co_yield await_signal(call.self + power);
  for (int distance = 1; distance < power; distance *= 2)
    co_yield exchange_signals(call.self ^ distance, call.self ^ distance);
  if (stands_for_two) co_yield signal(call.self + power);
}

}  // namespace orrery::collective::barrier
