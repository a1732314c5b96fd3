// SPDX-License-Identifier: BSD-3-Clause
#include "launch/sampled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mpi/channel/samples.hpp"

namespace orrery::launch {
namespace {

using mpi::channel::Sampled;
using mpi::channel::SampledByRank;
using mpi::channel::Times;

constexpr double outside = 0.05;

SampledBlock block_of(const Sampled& place) {
  SampledBlock block{.file = place.file, .line = place.line, .global = place.global};
  block.executed = place.together.count;
  for (const SampledByRank& rank : place.ranks) block.skipped += rank.skipped;
  block.mean_s = place.together.mean_s;
  const auto knows_too_little = [](const SampledByRank& rank) { return rank.skipped > 0 && rank.executed.count < 2; };
  block.half_width_s = !place.global && std::ranges::any_of(place.ranks, knows_too_little)
                           ? std::numeric_limits<double>::infinity()
                           : place.together.half_width_s(0, outside);
  return block;
}

bool skipped_some(const SampledByRank& rank) { return rank.skipped > 0; }

std::int64_t samples_used(const std::vector<Sampled>& places) {
  std::int64_t used = 0;
  for (const Sampled& place : places) used += std::ranges::count_if(place.ranks, skipped_some);
  return used;
}

/// By how many standard deviations the slowest of so many ranks exceeds the mean in each block, at most.
double slowest_of(std::int64_t ranks) { return ranks < 2 ? 0 : std::sqrt(2 * std::log(static_cast<double>(ranks))); }

}  // namespace

Sampling sampling_of(const mpi::channel::Memory& memory, std::span<const double> compute_factor) {
  Sampling sampling;
  const std::vector<Sampled> places = mpi::channel::sampled(memory);
  const double outside_of_each = outside / static_cast<double>(std::max<std::int64_t>(1, samples_used(places)));
  for (const Sampled& place : places) {
    sampling.blocks.push_back(block_of(place));
    const double slowest = slowest_of(std::ranges::count_if(place.ranks, skipped_some));
    for (std::size_t rank = 0; rank < std::min(place.ranks.size(), compute_factor.size()); ++rank) {
      const SampledByRank& own = place.ranks[rank];
      if (own.skipped == 0) continue;
      const Times& sample = place.global ? place.together : own.executed;
      const double mean_off_s = sample.half_width_s(own.skipped, outside_of_each);
      const double spread_s = sample.largest_spread_s();
      if (spread_s == 0) continue;
      sampling.shorter = std::max(sampling.shorter, mean_off_s / sample.mean_s);
      const double slower_s = slowest == 0 ? 0 : slowest * spread_s;  // the spread may be infinite
      sampling.longer = std::max(sampling.longer, (mean_off_s + slower_s) / sample.mean_s);
      sampling.in_all_s += (mean_off_s + spread_s) * static_cast<double>(own.skipped) * compute_factor[rank];
    }
  }
  return sampling;
}

}  // namespace orrery::launch
