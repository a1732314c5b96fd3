// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a chain of all ranks, in segments; any size and root.
///
/// While a rank passes one segment on it receives the next. p = 3, root 0; segments a, b:
///     0→1 a | 0→1 b, 1→2 a | 1→2 b
/// Cost, s segments: (p − 2 + s) · (α + n/s · β), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script chain(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Blocks segments = Blocks::segments(call.bytes, call.element, call.segment);
  const int position = ranks.relative(call.self);
  const bool receives = position > 0;
  const bool sends = position < call.size - 1;
  const int previous = before(call.self, 1, call.size);
  const int next = after(call.self, 1, call.size);
  for (int step = 0; step <= segments.count(); ++step) {
    const Slice out = sends && step > 0 ? segments.at(output, step - 1) : Slice{};
    const Slice in = receives && step < segments.count() ? segments.at(output, step) : Slice{};
    co_yield exchange(next, out, previous, in);
  }
}

}  // namespace orrery::collective::bcast
