// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "network/network.hpp"

namespace orrery::network {

/// The regimes of one set, by message size.
class Regimes {
 public:
  /// @param set "network" or "memory", for messages
  /// @throws InputError when the sizes do not rise to INT64_MAX, a factor is not positive (latency: is negative), or an
  ///   overhead would be negative for a size of its regime
  Regimes(std::string_view set, std::vector<Regime> regimes);

  [[nodiscard]] const Regime& of(Bytes bytes) const {
    // Sets have a handful of regimes, and most messages are in the first.
    const Regime* regime = regimes_.data();
    while (bytes.count >= regime->end) ++regime;
    return *regime;
  }

 private:
  std::vector<Regime> regimes_;
};

}  // namespace orrery::network
