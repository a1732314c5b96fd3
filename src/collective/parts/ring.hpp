// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "collective/parts/root.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Passes blocks around a ring until every rank has all: in each of p − 1 steps a rank sends the block that it received
/// last to the next rank, empty ones too, unless all are. Block i starts at relative rank i.
/// Cost: (p − 1) · α + (p − 1)/p · nβ, n being all blocks.
[[nodiscard]] op::Script ring_allgather(int self, FromRoot ranks, Blocks blocks, Region base);

/// An allreduce around a ring: each block travels once around it while it is reduced, and once more when it is. Rank r
/// begins with block r + `ahead`. The operation must commute. Cost: 2(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
[[nodiscard]] op::Script ring_allreduce(int self, Blocks blocks, int ahead);

}  // namespace orrery::collective
