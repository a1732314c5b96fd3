// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Numbers that two simulators draw alike: the systems of bench_solver.
class Draw {
 public:
  std::uint32_t below(std::uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_ = 1;
};
