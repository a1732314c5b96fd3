// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along chains that begin at the root, in segments; any size and root.
///
/// While a rank passes one segment on it receives the next. `fanout` chains, 4 if it is 0. p = 6, 2 chains:
///     0→1→2→3, 0→4→5
/// Cost, s segments, c chains of length h: (h + s − 1) · c · (α + n/s · β), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script chain(Call call) {
  const int count = call.fanout > 0 ? call.fanout : 4;
  co_yield tree_bcast(chains(call.self, {call.size, call.root}, count), segments_of(call), output);
}

}  // namespace orrery::collective::bcast
