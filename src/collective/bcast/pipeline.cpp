// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/pipeline.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along one chain of all ranks, in segments; any size and root.
///
/// While a rank passes one segment on it receives the next. p = 3, root 0; segments a, b:
///     0→1 a | 0→1 b, 1→2 a | 1→2 b
/// Cost, s segments: (p − 2 + s) · (α + n/s · β), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script pipeline(Call call) {
  co_yield tree_bcast(chains(call.self, {call.size, call.root}, 1), segments_of(call), output);
}

}  // namespace orrery::collective::bcast
