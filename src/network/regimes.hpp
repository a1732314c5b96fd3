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

/// L of a message in a regime: latency_factor × latency of the route + latency_s, or 0 if that is negative.
[[nodiscard]] inline Duration latency_of(const Regime& regime, Duration of_route) {
  return {std::max(0.0, regime.latency_factor * of_route.s + regime.latency_s)};
}

/// The regimes of one set, by message size.
class Regimes {
 public:
  /// @param set "between_nodes" or "inside_node", for messages
  /// @throws InputError when the sizes do not rise, the last regime has an end or another one has none, a value is not
  ///   one that its table allows, or an overhead would be negative for a size of its regime
  Regimes(std::string_view set, std::vector<Regime> regimes);

  [[nodiscard]] const Regime& of(Bytes bytes) const {
    // Sets have a handful of regimes, and most messages are in the first.
    std::size_t i = 0;
    while (bytes.count >= ends_[i]) ++i;
    return regimes_[i];
  }

 private:
  std::vector<Regime> regimes_;
  std::vector<std::int64_t> ends_;  ///< first size that no longer belongs to each; of the last one INT64_MAX
};

}  // namespace orrery::network
