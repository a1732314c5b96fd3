// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timeline/timeline.hpp"

namespace orrery::timeline {

/// Sums of waits, and the longest ones.
class Waits {
 public:
  Waits(std::uint32_t ranks, std::size_t most) : most_(most), caused_ns_(ranks, 0) {}

  void add(const Wait& wait);
  /// By rank, routine, cause.
  [[nodiscard]] std::vector<WaitSum> sums() const;
  [[nodiscard]] std::vector<Wait> longest() const;
  [[nodiscard]] const std::vector<std::int64_t>& caused_ns() const { return caused_ns_; }

 private:
  std::size_t most_;
  std::vector<std::int64_t> caused_ns_;
  std::unordered_map<std::uint64_t, std::array<WaitSum, causes>> sums_;  ///< by rank and routine
  std::vector<Wait> longest_;                                            ///< a heap: its first is the shortest
};

}  // namespace orrery::timeline
