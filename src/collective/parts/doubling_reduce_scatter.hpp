// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Reduce-scatter by recursive doubling; any size, any associative operation.
///
/// In step k a rank exchanges what its group of 2^k ranks has reduced, but for the group's own blocks, with the rank
/// that differs in bit k. Ranks without a partner get the same from those with one, along a binomial tree. p = 4,
/// blocks a b c d, named with the rank that receives them:
///     0:acd↔1:bcd 2:abc↔3:abd | 0:ab↔2:cd 1:ab↔3:cd
/// Messages without blocks are sent too, unless all blocks are empty.
/// Cost, p a power of two: log2 p · α + (log2 p − (p − 1)/p) · n(β + γ), n being all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
[[nodiscard]] op::Script doubling_reduce_scatter(int self, bool commutative, Blocks blocks);

}  // namespace orrery::collective
