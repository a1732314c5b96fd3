// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "collective/parts/blocks.hpp"

namespace orrery::collective {

/// The vector of a call cut as Open MPI does: a segment is the nearest whole number of elements; segments that hold no
/// element, or all of them, leave the vector whole.
[[nodiscard]] inline Blocks segments_of(const Call& call) {
  const std::int64_t wanted = call.segment.count;
  if (wanted < call.element || wanted >= call.bytes.count) return Blocks::segments(call.bytes, call.element, {});
  const std::int64_t elements = wanted / call.element + (wanted % call.element > call.element / 2 ? 1 : 0);
  return Blocks::segments(call.bytes, call.element, {elements * call.element});
}

/// The vector of a call in one block per rank, of ⌈n/p⌉ elements; the last ones are shorter or empty.
[[nodiscard]] inline Blocks rounded_up_blocks(const Call& call) {
  return Blocks::rounded_up(call.bytes, call.element, call.size);
}

}  // namespace orrery::collective
