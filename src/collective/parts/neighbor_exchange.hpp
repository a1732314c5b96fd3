// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Allgather between neighbours on the ring of all ranks, an even number. They exchange their own blocks, then each
/// rank exchanges the pair of blocks that it received last with its two neighbours in turn. p = 6; pairs of blocks a,
/// b, c of ranks 0-1, 2-3, 4-5, named with the rank that receives them:
///     0↔1 2↔3 4↔5 | 1:b↔2:a 3:c↔4:b 5:a↔0:c | 0:b↔1:c 2:c↔3:a 4:a↔5:b
/// Cost, equal blocks: p/2 · α + (p − 1)/p · nβ, n being all blocks.
/// Source: Chen, Zhang, Zhang, Yuan 2005, doi:10.1109/HPCASIA.2005.75
[[nodiscard]] op::Script neighbor_exchange_allgather(int self, Blocks blocks);

}  // namespace orrery::collective
