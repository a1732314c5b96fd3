// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/collective/blocks.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

/// The data plane of a blocking alltoall of many bytes: a few ranks carry the slices of all from buffer to buffer.
///
/// A carrier reads what all send to a few neighbouring ranks, where that is one piece in each sender's memory, and
/// writes what each of these gets, which is one piece in its memory: some calls of the system for each rank, where
/// ranks that fetch their slices themselves need one for each pair of them. There are fewer carriers than processors:
/// the simulation, which is as much work, goes on beside them.
///
/// Collective. @return false where it cannot be done so, as slices have gaps or are in place, or the system does not
/// let ranks reach each other's memory: the same on all members; what is received may have been overwritten
[[nodiscard]] bool carry_slices(const Blocks& send, const Blocks& recv, Comm& comm);

}  // namespace orrery::mpi
