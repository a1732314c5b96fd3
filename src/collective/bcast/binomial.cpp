// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along the binomial tree whose distances double, in segments; any size and root.
/// p = 6, root 0:
///     0→1 | 0→2 1→3 | 0→4 1→5
/// Cost of one segment: ⌈log2 p⌉ · (α + nβ), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script binomial(Call call) {
  co_yield tree_bcast(doubling_tree(call.self, {call.size, call.root}), segments_of(call), output);
}

}  // namespace orrery::collective::bcast
