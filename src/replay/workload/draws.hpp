// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace orrery::replay::workload {

/// A number for each set of keys, as good as drawn: equal everywhere, in any order of asking.
/// Source: Steele, Lea, Flood 2014 (SplitMix64), doi:10.1145/2660193.2660195.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15;
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
  key = (key ^ key >> 27) * 0x94d049bb133111eb;
  return key ^ key >> 31;
}
[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) {
  return mixed(mixed(mixed(seed) ^ a) ^ b);
}

/// In [0, 1).
[[nodiscard]] constexpr double fraction(std::uint64_t drawn) { return static_cast<double>(drawn >> 11) * 0x1p-53; }

/// From (1 - spread) to (1 + spread).
[[nodiscard]] constexpr double around_one(double spread, std::uint64_t drawn) {
  return 1 + spread * (2 * fraction(drawn) - 1);
}

/// A random permutation of [0, size) and its inverse, without a table: a Feistel network on the next even number of
/// bits, repeated until the result is below `size`; fewer than four rounds of that on average.
/// Source: Black, Rogaway 2002, doi:10.1007/3-540-45760-7_9.
class Permutation {
 public:
  constexpr Permutation(std::uint32_t size, std::uint64_t seed) : size_(size), seed_(seed) {
    while (std::uint64_t{1} << 2 * half_ < size) ++half_;
  }

  [[nodiscard]] constexpr std::uint32_t operator()(std::uint32_t value) const {
    do value = forth(value);
    while (value >= size_);
    return value;
  }
  [[nodiscard]] constexpr std::uint32_t inverse(std::uint32_t value) const {
    do value = back(value);
    while (value >= size_);
    return value;
  }

 private:
  static constexpr int rounds = 4;
  [[nodiscard]] constexpr std::uint32_t mask() const { return (std::uint32_t{1} << half_) - 1; }
  [[nodiscard]] constexpr std::uint32_t key(int round, std::uint32_t half) const {
    return static_cast<std::uint32_t>(draw(seed_, static_cast<std::uint64_t>(round), half)) & mask();
  }
  [[nodiscard]] constexpr std::uint32_t forth(std::uint32_t value) const {
    std::uint32_t left = value >> half_, right = value & mask();
    for (int round = 0; round < rounds; ++round) {
      const std::uint32_t next = left ^ key(round, right);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }
  [[nodiscard]] constexpr std::uint32_t back(std::uint32_t value) const {
    std::uint32_t left = value >> half_, right = value & mask();
    for (int round = rounds - 1; round >= 0; --round) {
      const std::uint32_t before = right ^ key(round, left);
      right = left;
      left = before;
    }
    return left << half_ | right;
  }

  std::uint32_t size_;
  std::uint64_t seed_;
  int half_ = 1;
};

}  // namespace orrery::replay::workload
