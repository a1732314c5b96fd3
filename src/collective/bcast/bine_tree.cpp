// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/bine.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a Bine tree, in segments; any size and root. p = 8:
///     0→3 | 0→7 3→4 | 0→1 3→2 7→6 4→5
/// Cost, one segment: ⌈log2 p⌉ · (α + nβ), n in bytes; as a binomial tree, but distances are two thirds as long.
/// Source: De Sensi et al. 2025, doi:10.48550/arXiv.2508.17311
op::Script bine_tree(Call call) {
  co_yield tree_bcast(collective::bine_tree(call.self, {call.size, call.root}), segments_of(call), output);
}

}  // namespace orrery::collective::bcast
