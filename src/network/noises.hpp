// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "base/quantity.hpp"
#include "network/network.hpp"

namespace orrery::network {

/// Draws of the noise of a model, in the order in which they are asked for: the same seed, the same draws, everywhere.
///
/// Source of the numbers: SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195), whose state is a counter.
class Noises {
 public:
  explicit Noises(const Noise& noise) : noise_(noise), state_(noise.seed) {}

  /// Of a handling, about its mean of 0: what a platform gives as its overhead has the mean of the noise in it.
  [[nodiscard]] Duration delay() { return {exponential(noise_.handling_s) - noise_.handling_s}; }
  /// Of a transfer, which no noise makes shorter.
  [[nodiscard]] double lengthening() { return 1 + exponential(noise_.rate_fraction); }

 private:
  double exponential(double mean) {
    if (mean <= 0) return 0;
    return -mean * std::log(1 - uniform());  // the uniform number is below 1
  }

  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

  Noise noise_;
  std::uint64_t state_;
};

}  // namespace orrery::network
