// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a binary tree, in segments; any size and root. p = 6:
///     0→1 0→2 | 1→3 1→5 2→4
/// Cost, s segments: (log2 p + s − 1) · 2(α + n/s · β), n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script binary_tree(Call call) {
  co_yield tree_bcast(collective::binary_tree(call.self, {call.size, call.root}), segments_of(call), output);
}

}  // namespace orrery::collective::bcast
