// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>

#include "base/quantity.hpp"

namespace orrery::transport {

/// Connection setup: the first message between two ranks takes longer, as MPI libraries connect on demand.
class ConnectionSetup {
 public:
  explicit ConnectionSetup(Duration takes) : takes_(takes) {}

  /// Setup time of a message between two ranks on different nodes: 0 if there was one before, in either direction.
  [[nodiscard]] Duration of(std::int32_t from_rank, std::int32_t to_rank) {
    if (takes_.s <= 0) return {};
    const auto [low, high] = std::minmax(from_rank, to_rank);
    const bool first = met_.insert(static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low)).second;
    return first ? takes_ : Duration{};
  }

 private:
  Duration takes_;
  std::unordered_set<std::uint64_t> met_;  ///< pairs of ranks, the higher one in the upper 32 bits
};

}  // namespace orrery::transport
