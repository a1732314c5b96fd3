// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "collective/parts/root.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Allgather by recursive doubling for any number of ranks: block i starts at relative rank i. In step k a rank
/// exchanges what its group of 2^k ranks has with the rank that differs in bit k. Where that group is not full, those
/// without a partner get its blocks from those with one, along a binomial tree. p = 3:
///     0↔1 | 0↔2 | 0→1 block 2
/// Messages without blocks are sent too. Cost, p a power of two: log2 p · α + (p − 1)/p · nβ, n being all blocks.
/// @param clipped 2^⌈log2 p⌉ blocks, those from p on empty   @param base where this rank has its block 0
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
[[nodiscard]] op::Script doubling_allgather(int self, FromRoot ranks, Blocks clipped, Region base);

}  // namespace orrery::collective
