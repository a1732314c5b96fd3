// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "collective/parts/fold.hpp"
#include "collective/parts/tree.hpp"
#include "op/script.hpp"

/// Butterflies and trees whose distances are 1, −1, 3, −5, 11, ...: in step k, an even number exchanges with the one
/// 1 − 2 + 4 − ... ± 2^k after it, an odd number with the one as far before it, modulo the power of two that they are.
/// The distances are about two thirds of those of recursive doubling, so that on tori, and where neighbours in rank are
/// neighbours in the network, messages cross fewer links.
/// Sources: De Sensi et al. 2024 (Swing), doi:10.48550/arXiv.2401.09356; De Sensi et al. 2025 (Bine trees),
/// doi:10.48550/arXiv.2508.17311
namespace orrery::collective {

/// With whom `number`, in [0, power), exchanges in `step`, in [0, log2 power).
[[nodiscard]] int bine_partner(int number, int step, int power);

/// Where a block lies so that in each step what a number has to give is in one piece. Bit log2 power − 1 − k of the
/// position says whether the block of number 0 must take step k to become that of `number`, if steps come in ascending
/// order. power = 8: 0 4 6 1 3 7 5 2
[[nodiscard]] int bine_position(int number, int power);
/// The number whose block lies at `position`.
[[nodiscard]] int bine_number(int position, int power);

/// The tree in which all that have the data exchange, farthest step first; the children that get most come first. Of a
/// size that is no power of two, the surplus ranks have a neighbour as parent (`Fold`). p = 8: 0→3 | 0→7 3→4 | 0→1 3→2
/// 7→6 4→5
[[nodiscard]] TreeNode bine_tree(int self, FromRoot ranks);

/// Steps of a reduce-scatter of `sums` among those who remain, in ascending order: at the end, the block at this
/// number's position is reduced. The operation must commute.
/// @param blocks one for each number, by position   @param arrived half as long as `sums`, at least
[[nodiscard]] op::Script bine_reduce_scatter(Fold fold, Blocks blocks, Region sums, Region arrived);
/// Steps of an allgather among them, in descending order, after which all blocks are there.
[[nodiscard]] op::Script bine_allgather(Fold fold, Blocks blocks, Region base);

}  // namespace orrery::collective
