// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "settings/cluster.hpp"

namespace orrery::platform {

/// The wide-area links from every cluster to every other: fewest links first, then the smallest sum of latencies,
/// then the order in which the links were given. State: clusters² × length of a path.
class WanPaths {
 public:
  /// One wide-area link crossed in one direction.
  struct Hop {
    std::uint32_t wan;  ///< index of the link
    bool forward;       ///< from `from` to `to`
    std::uint32_t arrives_at;
  };

  /// @throws InputError with the names of two clusters that no wide-area links join, or of one that is not there
  WanPaths(const std::vector<settings::Cluster>& clusters, const std::vector<settings::Wan>& wan);

  [[nodiscard]] std::span<const Hop> between(std::uint32_t from, std::uint32_t to) const {
    return paths_[from * clusters_ + to];
  }
  [[nodiscard]] std::size_t longest() const;  ///< in links

 private:
  std::size_t clusters_;
  std::vector<std::vector<Hop>> paths_;
};

}  // namespace orrery::platform
