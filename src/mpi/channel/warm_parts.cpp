// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/warm_parts.hpp"

#include <algorithm>
#include <span>

namespace orrery::mpi::channel {
namespace {

/// So many that differ by no more than so many thousandths agree.
constexpr std::size_t enough = 3;
constexpr int apart = 60;

}  // namespace

void WarmPart::say(std::uint16_t part) {
  const std::uint16_t said = part == 0 ? nothing : part;
  for (auto& place : said_) {
    std::uint16_t free = 0;
    if (place.compare_exchange_strong(free, said, std::memory_order_relaxed)) return;
  }
}

bool WarmPart::complete() const {
  return std::ranges::all_of(said_, [](const auto& place) { return place.load(std::memory_order_relaxed) != 0; });
}

std::uint16_t WarmPart::agreed() const {
  std::array<std::uint16_t, std::tuple_size_v<decltype(said_)>> parts;
  std::size_t found = 0;
  for (const auto& place : said_) {
    const std::uint16_t said = place.load(std::memory_order_relaxed);
    if (said != 0 && said != nothing) parts[found++] = said;
  }
  const std::span known(parts.data(), found);
  if (found < enough) return 0;
  std::ranges::sort(known);
  return known.back() - known.front() <= apart || complete() ? known[found / 2] : std::uint16_t{0};
}

WarmPart* WarmParts::of(std::uint64_t region) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;
  constexpr std::size_t tries = 16;
  std::size_t at = region * odd >> 32;
  for (std::size_t i = 0; i < tries; ++i, ++at) {
    WarmPart& part = parts_[at % most];
    std::uint64_t there = part.region_.load(std::memory_order_relaxed);
    if (there == 0 && part.region_.compare_exchange_strong(there, region, std::memory_order_relaxed)) return &part;
    if (there == region) return &part;
  }
  return nullptr;
}

}  // namespace orrery::mpi::channel
