// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Reduce-scatter on a butterfly: vector halving, distance doubling, so that operands stay in the order of the ranks;
/// any number of ranks, any associative operation. Of the r surplus pairs of neighbours the even rank hands its operand
/// to the odd one, which then stands for both blocks. The halving leaves the rest's block i at the rank whose number
/// has the bits of i reversed, from where it goes home; empty ones too.
///     p = 4: 0↔1 halves | 0↔2 1↔3 quarters | 1↔2
/// Cost, p a power of two: (log2 p + 1) · α + (p − 1)/p · n(β + γ) + n/p · β, n being all blocks.
/// Source: Träff 2005, doi:10.1007/11557265_20
[[nodiscard]] op::Script butterfly_reduce_scatter(int self, Blocks blocks);

/// Such a reduce-scatter of a power of two of equal blocks, which are first put into the order of reversed bits, so
/// that each is at home at the end. Cost: log2 p · α + (p − 1)/p · n(β + γ), n being all blocks.
[[nodiscard]] op::Script permuted_butterfly(int self, Blocks blocks);

}  // namespace orrery::collective
