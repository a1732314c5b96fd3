// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timeline/timeline.hpp"

namespace orrery::timeline {

/// How long each rank was in which state, in buckets of time.
class Pyramid {
 public:
  Pyramid(std::uint32_t ranks, std::int64_t end_ns, const Limits& limits);

  /// @param begin_ns, end_ns one behind the other for each rank
  void add(std::uint32_t rank, State state, std::int64_t begin_ns, std::int64_t end_ns);
  /// The finest level first; the last has at most four buckets. Leaves the pyramid empty.
  [[nodiscard]] std::vector<Level> levels();

 private:
  using Cell = std::array<float, states>;  ///< ns in each state

  [[nodiscard]] Level level() const;
  void coarsen();

  std::uint32_t ranks_, buckets_;
  std::int64_t bucket_ns_;
  std::vector<Cell> cells_;
};

}  // namespace orrery::timeline
