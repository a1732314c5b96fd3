// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>

namespace orrery {

/// Samples of one kind of work are at most so many times as long as the shortest of them.
inline constexpr double longest_of_one_kind = 1.35;
/// The shortest is no shorter than so many times the median.
inline constexpr double shortest_of_one_kind = 0.83;

/// The mean of samples of one kind of work. @param least which these begin at; none: that of the median
/// @return `least` if there is no such sample
template <std::size_t n>
[[nodiscard]] double mean_of_one_kind(const std::array<float, n>& ring, std::size_t samples,
                                      std::optional<double> least = {}) {
  auto sorted = ring;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(samples, n));
  std::sort(sorted.begin(), end);
  if (!least) least = shortest_of_one_kind * static_cast<double>(*(sorted.begin() + (end - sorted.begin()) / 2));
  const auto first = std::lower_bound(sorted.begin(), end, static_cast<float>(*least));
  if (first == end) return *least;
  const auto last = std::upper_bound(first, end, static_cast<float>(longest_of_one_kind) * *first);
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

}  // namespace orrery
