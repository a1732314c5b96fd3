// SPDX-License-Identifier: BSD-3-Clause
#include "network/processors.hpp"

#include <algorithm>

namespace orrery::network {

Processors::Turn Processors::take(std::int32_t rank, SimTime now, SimTime at, Duration work, Duration overhead) {
  if (!shared()) return {at, at + overhead};
  for (Intervals& busy : busy_) std::erase_if(busy, [&](const Interval& turn) { return turn.end_s <= now.s; });
  const auto index = static_cast<std::size_t>(rank);
  if (index >= last_.size()) last_.resize(std::max(index + 1, 2 * last_.size()));
  Last& own = last_[index];
  double begin_s = at.s;
  if (own.end_s == at.s) {
    Intervals& busy = busy_[own.processor];
    insert(busy, first_gap(busy, at.s, work.s), work.s);
  } else {
    choose(own, begin_s, at.s, work.s);
    insert(busy_[own.processor], begin_s, work.s);
  }
  const SimTime begins{begin_s};
  const SimTime ends = std::max(at + overhead, begins + work);
  own.end_s = ends.s;
  return {begins, ends};
}

/// The processor that is free first.
void Processors::choose(Last& own, double& begin_s, double at_s, double work_s) const {
  for (std::size_t processor = 0; processor < busy_.size(); ++processor) {
    const double gap_s = first_gap(busy_[processor], at_s, work_s);
    if (processor > 0 && gap_s >= begin_s) continue;
    begin_s = gap_s;
    own.processor = processor;
  }
}

double Processors::first_gap(const Intervals& busy, double at_s, double work_s) {
  double begin_s = at_s;
  for (const Interval& turn : busy) {
    if (begin_s + work_s <= turn.begin_s) break;
    begin_s = std::max(begin_s, turn.end_s);
  }
  return begin_s;
}

void Processors::insert(Intervals& busy, double begin_s, double work_s) {
  if (work_s <= 0) return;
  const double end_s = begin_s + work_s;
  const auto after = std::find_if(busy.begin(), busy.end(), [&](const Interval& i) { return i.begin_s >= end_s; });
  const bool continues = after != busy.begin() && (after - 1)->end_s == begin_s;
  continues ? void((after - 1)->end_s = end_s) : void(busy.insert(after, {begin_s, end_s}));
}

}  // namespace orrery::network
