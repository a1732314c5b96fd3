// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/collective/blocks.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

/// Whether the data plane of a blocking alltoall goes over the communicator's board.
///
/// There a rank shows a copy of all that it sends, in shared memory, and takes its slice out of what every other one
/// shows: two accesses to memory for each pair of ranks, where messages need a dozen to pages that both of them share,
/// which for a thousand ranks are a million pages to be mapped. Where that is very much, a few ranks carry the slices
/// of all (`carry_slices`). Each has data for each, so that in the simulation, too, none is done before all have begun.
/// @param bytes from each to each, the same on all members
[[nodiscard]] bool swaps_on_board(std::int64_t bytes, const Comm& comm);

/// The data plane of such a call. @param send may be `recv`, in place
/// @throws Error when a slice does not fit
void swap_on_board(const Blocks& send, const Blocks& recv, Comm& comm);

}  // namespace orrery::mpi
