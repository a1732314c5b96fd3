// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Allgather in ⌈log2 p⌉ steps whose distances halve, any number of ranks: each step sends the blocks that a rank has,
/// every block a message of its own, so that it goes to its place at once. In steps whose distance d is a bit that
/// p − 1 does not have (below the highest), the block that would arrive twice stays at home. p = 6, what rank 0 has:
///     0 | 0 2 | 0 2 4 | 0 1 2 3 4 5
/// Cost: ⌈log2 p⌉ steps of up to half of the blocks each, (p − 1) · α + (p − 1)/p · nβ in all, n being all blocks.
/// Source: Loch, Koslovski 2021, doi:10.48550/arXiv.2109.08751
[[nodiscard]] op::Script sparbit_allgather(int self, Blocks blocks);

}  // namespace orrery::collective
