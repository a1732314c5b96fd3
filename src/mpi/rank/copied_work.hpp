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
/// the samples that are about as long as that, and not shorter than what the copy took. Otherwise the copy may have
/// done a kind of work that is not known yet, or only its beginning, and says nothing of the kinds that are known.
/// @param ring of earlier samples; @param warm_ns 0: not known
/// @return 0: not known
template <std::size_t n>
[[nodiscard]] double usual_of_copied(const std::array<float, n>& ring, std::size_t samples, std::int64_t warm_ns,
                                     AfterCopy after) {
  constexpr double shorter_by_noise = 0.97, longer_by_noise = 1.1, shorter_than_usual = 0.8;
  constexpr double longest_fault_ns = 1'500;
  if (warm_ns == 0) return 0;
  const auto took = static_cast<double>(after.took_ns);
  const double least = std::max(shorter_by_noise * static_cast<double>(warm_ns),
                                shorter_than_usual * (took - longest_fault_ns * after.faults));
  const double usual = mean_of_one_kind(ring, samples, least);
  return usual > least && usual <= longer_by_noise * took ? usual : 0;
}

}  // namespace orrery::mpi
