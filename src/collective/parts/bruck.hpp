// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Gathers block i of rank i at all ranks in ⌈log_k p⌉ steps, whatever p: the blocks that a rank has, its own first,
/// become k times as many with each step, k being the radix; in scratch memory, in the order of the ring from itself
/// on, and put into place at the end.
///     p = 5, k = 2, what rank 0 has: 0 | 0 1 | 0 1 2 3 | 0 1 2 3 4
/// Cost: ⌈log_k p⌉ · (k − 1) · α + (p − 1)/p · nβ, n being all blocks; and n bytes copied.
/// Source: Bruck et al. 1997, doi:10.1109/71.642949
[[nodiscard]] op::Script bruck_allgather(int self, Blocks blocks, int radix);

}  // namespace orrery::collective
