// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/fold.hpp"

namespace orrery::collective {

/// The vector of a call in one block for each of 2^k ranks. Immediate forms leave what does not divide to the last one,
/// as MPICH's do.
[[nodiscard]] Blocks halved_blocks(const Call& call, int power);

/// First half of Rabenseifner's algorithms: vector halving, distance doubling. Partners exchange halves of what they
/// have, and each combines the half that it keeps; neighbours first, so that operands stay in the order of the ranks.
///     4 ranks: 0↔1 2↔3 | 0↔2 1↔3; rank 0 ends with quarter 0, 1 with 2, 2 with 1, 3 with 3
/// `accumulator` and `own` belong to the calling script; `own`, all blocks at first, is this rank's one at the end.
/// @param blocks as many as ranks remain in `fold`, of which this must be one
/// Cost, 2^k ranks: k · α + (2^k − 1)/2^k · n(β + γ).
[[nodiscard]] op::Script scatter_reduce(Fold fold, Blocks blocks, Accumulator* accumulator, BlockRange* own);

}  // namespace orrery::collective
