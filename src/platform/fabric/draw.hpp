// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace orrery::platform {

/// Pseudo-random number that depends only on the arguments, on every machine.
/// Source: the finaliser of SplitMix64, Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195.
[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t seed, std::uint32_t from, std::uint32_t to,
                                           std::uint32_t which = 0) {
  const auto mix = [](std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  const std::uint64_t pair = (std::uint64_t{from} << 32) | to;
  return mix(mix(pair + 0x9e3779b97f4a7c15u * (seed + 1)) + 0x9e3779b97f4a7c15u * (which + 1));
}

}  // namespace orrery::platform
