// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/one_kind.hpp"

namespace orrery::mpi {

/// What the process took for work that a copy of it has done before.
struct AfterCopy {
  std::int64_t took_ns = 0;
  std::uint32_t faults = 0;  ///< pages that it had to get back
};

/// How long work usually takes the process that a copy has done in `warm_ns` and the process then itself: the mean of
/// the next longer samples, unless they are so much longer than the copy that cold caches do not explain it. Then the
/// copy may have done a kind of work that is not known yet, or only its beginning, and says nothing of the kinds that
/// are known. Short work is many times as long with cold caches, but by no more than it takes to fill a few lines. The
/// process finds its caches as the copy has left them, so that it may be much quicker than usual.
/// @param ring of earlier samples; @param warm_ns 0: not known
/// @return 0: not known
template <std::size_t n>
[[nodiscard]] double usual_of_copied(const std::array<float, n>& ring, std::size_t samples, std::int64_t warm_ns,
                                     AfterCopy after) {
  constexpr double shorter_by_noise = 0.97, longer_when_cold = 2.5, shorter_than_usual = 0.8;
  constexpr double longest_fault_ns = 1'500, longest_fill_ns = 3'000;
  if (warm_ns == 0) return 0;
  const auto warm = static_cast<double>(warm_ns), took = static_cast<double>(after.took_ns);
  const double least = std::max(shorter_by_noise * warm, shorter_than_usual * (took - longest_fault_ns * after.faults));
  const double usual = mean_of_one_kind(ring, samples, least);
  return usual > least && usual <= std::max(longer_when_cold * warm, warm + longest_fill_ns) ? usual : 0;
}

/// What work takes the process once, with the caches that it usually finds.
/// @return 0: not known, as it had to get pages back, or as it was so much quicker than usual that it found the caches
/// as its copy had left them
[[nodiscard]] inline std::int64_t cold_time(AfterCopy after, double usual_ns) {
  constexpr double longer_by_kind = 1.25;
  return after.faults == 0 && usual_ns <= longer_by_kind * static_cast<double>(after.took_ns) ? after.took_ns : 0;
}

}  // namespace orrery::mpi
