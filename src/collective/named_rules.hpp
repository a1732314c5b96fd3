// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"

/// Rules that a user has written for Orrery.
namespace orrery::collective {

/// A rule that names any algorithm there is, for blocking calls on communicators of some sizes and of some bytes, as
/// `named_bytes` has them; all limits included. Without an algorithm the library decides.
struct NamedRule {
  CollectiveKind kind = CollectiveKind::Barrier;
  int size_from = 1;
  int size_to = std::numeric_limits<int>::max();
  std::int64_t bytes_from = 0;
  std::int64_t bytes_to = std::numeric_limits<std::int64_t>::max();
  Choice choice;
};

/// As the other `make_selector`, where these rules come before all others but `fixed`: the first that fits decides, if
/// its algorithm accepts the call.
[[nodiscard]] std::unique_ptr<Selector> make_selector(std::string_view name, std::string_view fixed,
                                                      std::vector<DynamicRules> rules, const class MpichRules* mpich,
                                                      std::vector<NamedRule> named);

/// What their limits are compared with: `Call::bytes`, as users name sizes; of allgatherv the average block. 0 for
/// barrier, and for calls whose ranks do not know each other's counts: gatherv, scatterv, alltoallv and alltoallw.
[[nodiscard]] std::int64_t named_bytes(const Call& call);

/// What the first rule that fits says, by `Decider::Rules`. No algorithm where none fits, or that one leaves the call
/// to the library.
[[nodiscard]] Choice choice_by(std::span<const NamedRule> rules, const Call& call);

}  // namespace orrery::collective
