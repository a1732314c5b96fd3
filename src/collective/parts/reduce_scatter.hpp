// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "op/script.hpp"

/// Reduce-scatter of blocks, of equal sizes or not: block i of the result goes to the output of rank i. The algorithms
/// are described where they are named, in reduce_scatter/ and reduce_scatter_block/.
namespace orrery::collective {

/// The operation must commute.
[[nodiscard]] op::Script halving_reduce_scatter(int self, Blocks blocks);
/// The operation must commute.
[[nodiscard]] op::Script pairwise_reduce_scatter(int self, Blocks blocks);
[[nodiscard]] op::Script reduce_then_scatter(int self, bool commutative, Blocks blocks);

}  // namespace orrery::collective
