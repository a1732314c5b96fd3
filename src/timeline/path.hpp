// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/lineage.hpp"
#include "timeline/timeline.hpp"

namespace orrery::timeline {

/// What ranks did while the critical path was on them.
class PathPieces {
 public:
  /// @param stays the path by rank, in the order of time   @param most segments that are kept
  PathPieces(std::vector<Lineage::Stay> stays, std::uint32_t ranks, std::size_t most);

  /// Intervals of each rank come in the order of time.
  void add(const Interval& interval);
  /// What no interval covers is computation.
  [[nodiscard]] Path path(std::uint64_t joined);

 private:
  struct Cursor {
    std::uint32_t stay, last;  ///< in `by_rank_`
    std::int64_t covered_ns;
  };

  void cover(Cursor& cursor, std::int64_t to_ns, const Segment& what);
  void join();

  std::vector<Lineage::Stay> stays_;
  std::vector<std::uint32_t> by_rank_;  ///< numbers of stays, by rank and time
  std::vector<Cursor> cursors_;
  std::size_t most_;
  Path path_;
};

}  // namespace orrery::timeline
