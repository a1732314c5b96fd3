// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace orrery {

/// Probability that Student's t with `degrees` of freedom (1 or more) is between -t and t. Cost: `degrees` steps.
///
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
[[nodiscard]] inline double student_within(double t, std::int64_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (std::int64_t power = odd ? 3 : 2; power <= degrees - 2; power += 2) {
    term *= cosine * cosine * static_cast<double>(power - 1) / static_cast<double>(power);
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

/// How far Student's t is from 0 at most, except with the probability `outside` in (0, 1). Above 200 degrees of freedom
/// what holds for 200, which is a little more.
[[nodiscard]] inline double student_reach(double outside, std::int64_t degrees) {
  constexpr std::int64_t most_degrees = 200;
  degrees = std::min(degrees, most_degrees);
  double low = 0, high = 1;
  while (student_within(high, degrees) < 1 - outside) high *= 2;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (student_within(middle, degrees) < 1 - outside ? low : high) = middle;
  }
  return high;
}

}  // namespace orrery
