// SPDX-License-Identifier: BSD-3-Clause
#include "node/virtual_processor.hpp"

#include <algorithm>
#include <cmath>

#include "base/split_mix.hpp"

namespace orrery::node {
namespace {

constexpr std::uint64_t step = 0x9e3779b97f4a7c15;  ///< of the counter of SplitMix
constexpr std::uint64_t host_factor = 0xbf58476d1ce4e5b9,
                        number_factor = 0x94d049bb133111eb;  ///< odd, far from multiples of step

double drawn(std::uint64_t key) { return SplitMix(key).uniform(); }

}  // namespace

VirtualProcessor::VirtualProcessor(const settings::Hypervisor& settings, const Seat& seat, std::uint64_t seed)
    : key_(seed + host_factor * (std::uint64_t{seat.host} + 1)) {
  const double share = settings.steal_share;
  if (seat.wanted > seat.cores) {
    period_ = {settings.slice_s * seat.wanted / seat.cores};
    absent_ = period_ - Duration{(1 - share) * settings.slice_s};
    const double turn = drawn(key_) + static_cast<double>(seat.number) / seat.wanted;
    first_ = SimTime{} + period_ * (std::floor(turn) - turn);
  } else if (share > 0) {
    period_ = {settings.steal_s / share};
    absent_ = {settings.steal_s};
    drawn_ = true;
    key_ += number_factor * (std::uint64_t{seat.number} + 1);
  }
}

Duration VirtualProcessor::runs_before(double period) const {
  const Duration runs = period_ - absent_;
  return drawn_ ? runs * drawn(key_ + step * static_cast<std::uint64_t>(period)) : runs;
}

VirtualProcessor::Place VirtualProcessor::place(SimTime time) const {
  const double period = std::floor((time - first_).s / period_.s);
  const Duration since = std::max(Duration{}, time - begin_of(period));
  const Duration before = runs_before(period);
  if (since < before) return {.period = period, .before = true, .absence = {}, .had = since};
  const Duration absence = std::max(Duration{}, before + absent_ - since);
  return {.period = period, .before = false, .absence = absence, .had = std::max(before, since - absent_)};
}

Duration VirtualProcessor::lasts(SimTime from, Duration work) const {
  if (period_.s == 0) return work;
  const Place at = place(from);
  const Duration runs = period_ - absent_, had = at.had + work;
  if (had <= (at.before ? runs_before(at.period) : runs)) return at.absence + work;
  const double periods = std::max(0.0, std::ceil(had / runs) - 1);
  const Duration rest = had - runs * periods;  // has run so long in the last period when the work is done
  const double last = at.period + periods;
  const Duration absent = rest > runs_before(last) || (periods == 0 && !at.before) ? absent_ : Duration{};
  return std::max(at.absence + work, begin_of(last) + rest + absent - from);
}

}  // namespace orrery::node
