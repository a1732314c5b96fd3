// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "collective/collective.hpp"

/// Rules that a user has written for Open MPI's component `tuned` (`DynamicRules`), as it reads them.
namespace orrery::collective {

/// What `tuned` compares with a rule's limits, which is not what its own decisions look at: the sum of all blocks of
/// (all)gather, scatter, alltoall and reduce_scatter(_block), the average block of allgatherv, the vector of bcast,
/// reduce and allreduce, one element for each rank of scan and exscan; 0 for barrier and alltoallv.
[[nodiscard]] std::int64_t dynamic_bytes(const Call& call);

/// What the rules say, by `Decider::Rules`: those of the first communicator that fits. No algorithm where they leave it
/// to the library. Where the algorithm does not serve the call, the one that Open MPI runs instead, if it does. Where
/// nobody says where ranks are (`Call::places`) each has a node of its own.
[[nodiscard]] Choice dynamic_choice(std::span<const DynamicRules> sets, const Call& call);

}  // namespace orrery::collective
