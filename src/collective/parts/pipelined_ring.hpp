// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Allgather around a ring in messages of `chunk` bytes at most, so that a rank passes on the beginning of a block
/// while the rest arrives; empty blocks take no message. Block i starts at rank i, in place in the output. p = 3;
/// blocks a, b, c of ranks 0, 1, 2, a in two messages:
///     0→1 a', 1→2 b, 2→0 c | 0→1 a", 1→2 a', 2→0 b | 0→1 c, 1→2 a"
/// Cost, equal blocks in s messages: (p − 1)s · α + (p − 1)/p · nβ, n in bytes, all blocks.
[[nodiscard]] op::Script pipelined_ring_allgather(int self, Blocks blocks, std::int64_t chunk);

}  // namespace orrery::collective
