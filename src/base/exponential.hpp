// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "base/split_mix.hpp"

namespace orrery {

/// Draws from exponential distributions, in the order in which they are asked for: the same seed, the same draws.
class Exponential {
 public:
  explicit Exponential(std::uint64_t seed) : draws_(seed) {}

  /// @param mean 0: no draw is made, and the result is 0
  double operator()(double mean) {
    if (mean <= 0) return 0;
    return -mean * std::log(1 - draws_.uniform());  // the uniform number is below 1
  }

 private:
  SplitMix draws_;
};

}  // namespace orrery
