// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "op/script.hpp"

/// All-to-alls as libraries make them when what comes from a rank replaces what went to it: in ⌊p/2⌋ steps, in each of
/// which a rank exchanges blocks with the two ranks at one distance, and saves one block in scratch memory. For p even
/// the last step has one partner. Here, too, input and output are two buffers.
namespace orrery::collective {

/// Exchanges with the left one, then with the right one, whose block is the saved one. Empty blocks are not sent.
/// Cost: (p − 1) · (α + nβ), n bytes per block.
[[nodiscard]] op::Script alltoall_both_neighbors(int self, int size, Blocks outgoing, Blocks incoming);

/// Sends to the right while it receives from the left, then back, the left one's block being the saved one.
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// @param empty what is done with empty blocks, `last` in the step with one partner
[[nodiscard]] op::Script alltoall_there_and_back(int self, int size, Blocks outgoing, Blocks incoming, Empty empty,
                                                 Empty last);

}  // namespace orrery::collective
