// SPDX-License-Identifier: BSD-3-Clause
#include "node/noise.hpp"

#include <algorithm>
#include <cmath>

#include "base/split_mix.hpp"

namespace orrery::node {
namespace {

constexpr std::uint64_t counter_period = 0x9e3779b97f4a7c15;  ///< of the counter of SplitMix
constexpr std::uint64_t rank_factor = 0xbf58476d1ce4e5b9,
                        kind_factor = 0x94d049bb133111eb;  ///< odd, far from multiples of that
constexpr std::uint64_t before = 0xd1b54a32d192ed03;

}  // namespace

Noise::Noise(const std::vector<settings::Interruption>& kinds, std::uint32_t rank, std::uint64_t seed) {
  const std::uint64_t own = seed + rank_factor * (std::uint64_t{rank} + 1);
  for (const auto& kind : kinds)
    if (kind.takes_s > 0) kinds_.emplace_back(kind, own + kind_factor * (kinds_.size() + 1));
}

Noise::Kind::Kind(const settings::Interruption& settings, std::uint64_t key)
    : period_{settings.every_s},
      length_{settings.takes_s},
      key_(key),
      before_(period_ * SplitMix(key ^ before).uniform()) {}

Noise::Kind::Place Noise::Kind::place(SimTime time) const {
  const Duration since_first = time - SimTime{} + before_;
  const double period = std::floor(since_first.s / period_.s);
  const Duration begins =
      (period_ - length_) * SplitMix(key_ + counter_period * static_cast<std::uint64_t>(period)).uniform();
  return {.period = period, .since = since_first - period_ * period - begins};
}

Duration Noise::Kind::taken(SimTime time) const {
  const Place at = place(time);
  return length_ * at.period + std::clamp(at.since, Duration{}, length_);
}

Duration Noise::Kind::left(SimTime time) const {
  const Place at = place(time);
  return at.since < Duration{} ? Duration{} : std::max(Duration{}, length_ - at.since);
}

Duration Noise::taken(SimTime from, SimTime until) const {
  Duration taken;
  for (const Kind& kind : kinds_) taken = taken + (kind.taken(until) - kind.taken(from));
  return taken;
}

Duration Noise::absence(SimTime time) const {
  Duration longest;
  for (const Kind& kind : kinds_) longest = std::max(longest, kind.left(time));
  return longest;
}

/// D grows from W on. While a kind has the processor, work does not go on, so D is at least the end of that.
Duration Noise::lasts(SimTime from, Duration work) const {
  Duration lasts = work;
  while (!kinds_.empty()) {
    const Duration next = work + taken(from, from + lasts);
    if (next <= lasts) break;
    lasts = std::max(next, lasts + absence(from + lasts));
  }
  return lasts;
}

}  // namespace orrery::node
