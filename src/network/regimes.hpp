// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "settings/network.hpp"

namespace orrery::network {

using settings::Regime;

/// Latency L of a message in a regime: max(0, latency_factor × latency of the route + latency_s).
[[nodiscard]] inline Duration latency_of(const Regime& regime, Duration of_route) {
  return {std::max(0.0, regime.latency_factor * of_route.s + regime.latency_s)};
}

/// The regimes of a set: the half-open ranges of message sizes [0, end_1), [end_1, end_2), ... that cover all sizes.
class Regimes {
 public:
  /// @param set name of the set in error messages, "between_nodes" or "inside_node"
  /// @throws InputError if the ends do not increase, the last regime has an end, another regime has none, a value is
  ///   out of the range of its key, or an overhead is negative for a size of its regime
  Regimes(std::string_view set, std::vector<Regime> regimes);

  /// The regime of a message with so many bytes.
  [[nodiscard]] const Regime& of(Bytes bytes) const {
    // Sets have a handful of regimes, and most messages are in the first.
    std::size_t i = 0;
    while (bytes.count >= ends_[i]) ++i;
    return regimes_[i];
  }

 private:
  std::vector<Regime> regimes_;
  std::vector<std::int64_t> ends_;  ///< by regime: smallest size beyond it; INT64_MAX for the last
};

}  // namespace orrery::network
