// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "collective/collective.hpp"

namespace orrery::collective {

/// One rank's view of a collective operation of its stream.
struct OwnCall {
  Call call;
  std::size_t first_member = 0;  ///< of the rank's own group, among all members of the communicator
};

/// @param members world ranks, by rank; of an inter-communicator those of one group, then those of the other
/// @param first_group how many are in the first group; 0: there is one
/// @return nothing if `world_rank` is no member. `Call::counts` are the operation's; places are left to the caller
[[nodiscard]] std::optional<OwnCall> call_of(const op::Operation& operation, std::span<const std::int32_t> members,
                                             std::size_t first_group, std::int32_t world_rank);

}  // namespace orrery::collective
