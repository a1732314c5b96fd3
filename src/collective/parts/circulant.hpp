// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Reduce-scatter on a circulant graph, whose distances are p halved and rounded up again and again: ⌈log2 p⌉ rounds
/// for any number of ranks, and no block is sent more often than needed.
///
/// `sums` has the blocks in the order of the ring from this rank on. In a round of distance d, in which s are left, a
/// rank sends those from d to s − 1 to the rank d after it, and adds those that come from the rank d before it to its
/// first ones. At the end, the first block is reduced. The operation must commute. p = 6; what rank 0 sends:
///     345 to 3 | 2 to 2 | 1 to 1
/// Cost: ⌈log2 p⌉ · α + (p − 1)/p · n(β + γ), n being all blocks.
/// @param arrived half of all blocks, rounded up
/// Source: Träff 2024, doi:10.48550/arXiv.2410.14234
[[nodiscard]] op::Script circulant_reduce_scatter(int self, Blocks blocks, Region sums, Region arrived);

/// The steps backwards, an allgather: the first block of `base` goes to all ranks, and all blocks arrive in the order
/// of the ring from this rank on.
[[nodiscard]] op::Script circulant_allgather(int self, Blocks blocks, Region base);

/// Copies all blocks, those of `from` into that order, or from that order back into the order of ranks.
[[nodiscard]] op::Script turn_to_self(int self, Blocks blocks, Region into, Region from);
[[nodiscard]] op::Script turn_back(int self, Blocks blocks, Region into, Region from);

/// The whole of a reduce-scatter: from the input, the own block reduced in the output.
[[nodiscard]] op::Script circulant_scattered(int self, Blocks blocks);

}  // namespace orrery::collective
