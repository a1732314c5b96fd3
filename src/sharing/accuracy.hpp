// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace orrery::sharing {

/// How exactly links are shared. Errors are relative: those of services to the bytes of a link's smallest flow, those
/// of levels to levels. docs/design/sharing.md says what each accuracy costs and gives.
struct Accuracy {
  /// Errors of services: where nobody says more, and beyond which only rounding is left.
  static constexpr double usual_error = 1e-7, exact_error = 1e-10;

  /// Largest difference between the service of a link and its published line. The error of the end of a flow is about
  /// the mean of these differences over the links that its bottleneck depends on.
  double service = exact_error;
  /// Difference below which two levels are equal: a flow keeps its bottleneck.
  double level = exact_error;
  /// Ends of flows with one bottleneck that are nearer to each other are one instant, so that symmetric flows end
  /// together.
  double together = 4 * exact_error;

  /// @param error of services, from `exact_error` to 1e-2
  [[nodiscard]] static Accuracy of(double error) {
    return {.service = error, .level = std::max(exact_error, error / 100), .together = 4 * error};
  }

  /// Bits of the mantissa of a level that are ignored when links are sorted: the others are finer than `level`. So
  /// links whose levels differ by rounding only are sorted by their numbers, and no two links wait for each other.
  [[nodiscard]] int lacking_bits() const {
    constexpr int mantissa_bits = 52;
    return mantissa_bits + static_cast<int>(std::ceil(std::log2(level))) - 1;
  }
};

}  // namespace orrery::sharing
