// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "collective/collective.hpp"

namespace orrery::collective {

/// Whom a rank exchanges blocks with in a neighbourhood collective, as `Call::counts` says.
class Neighborhood {
 public:
  struct Neighbor {
    int rank;
    Bytes bytes;
  };

  /// None when the counts are not of that form, or name a rank that there is not.
  [[nodiscard]] static std::optional<Neighborhood> of(const Call& call);

  [[nodiscard]] std::size_t destinations() const { return destinations_.size() / 2; }
  [[nodiscard]] std::size_t sources() const { return sources_.size() / 2; }
  [[nodiscard]] Neighbor destination(std::size_t i) const { return at(destinations_, i); }
  [[nodiscard]] Neighbor source(std::size_t i) const { return at(sources_, i); }

 private:
  using Pairs = std::span<const std::int64_t>;
  [[nodiscard]] static Neighbor at(Pairs pairs, std::size_t i) {
    return {static_cast<int>(pairs[2 * i]), {pairs[2 * i + 1]}};
  }
  [[nodiscard]] static bool valid(Pairs pairs, int size);

  Pairs destinations_;
  Pairs sources_;
};

/// Starts all receives and all sends at the same time, and waits. What a rank has for itself is copied.
/// @param one_block all destinations get the same block
[[nodiscard]] op::Script linear_exchange(int self, Neighborhood neighbors, bool one_block);

}  // namespace orrery::collective
