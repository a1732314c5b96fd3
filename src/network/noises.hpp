// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "base/quantity.hpp"
#include "network/network.hpp"
#include "network/split_mix.hpp"

namespace orrery::network {

/// Draws of the noise of a model, in the order in which they are asked for: the same seed, the same draws, everywhere.
class Noises {
 public:
  explicit Noises(const Noise& noise) : noise_(noise), draws_(noise.seed) {}

  [[nodiscard]] bool delays() const { return noise_.handling_s > 0; }
  /// Of a handling, about its mean of 0: what a platform gives as its overhead has the mean of the noise in it.
  [[nodiscard]] Duration delay() { return {exponential(noise_.handling_s) - noise_.handling_s}; }
  /// What takes `mean` on average, when `delay` is drawn: spread as a handling is, but no wider than it is long.
  [[nodiscard]] Duration around(Duration mean, Duration delay) const {
    return noise_.handling_s > 0 ? mean + delay * std::min(1.0, mean.s / noise_.handling_s) : mean;
  }
  /// Of a transfer, which no noise makes shorter.
  [[nodiscard]] double lengthening() { return 1 + exponential(noise_.rate_fraction); }

 private:
  double exponential(double mean) {
    if (mean <= 0) return 0;
    return -mean * std::log(1 - draws_.uniform());  // the uniform number is below 1
  }

  Noise noise_;
  SplitMix draws_;
};

}  // namespace orrery::network
