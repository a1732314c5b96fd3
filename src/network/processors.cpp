// SPDX-License-Identifier: BSD-3-Clause
#include "network/processors.hpp"

#include <algorithm>

namespace orrery::network {

Processors::Turn Processors::take(SimTime now, SimTime at, Duration work, Duration overhead) {
  if (!shared()) return {at, at + overhead};
  Intervals* chosen = nullptr;
  double begin_s = 0;
  for (Intervals& busy : busy_) {
    std::erase_if(busy, [&](const Interval& turn) { return turn.end_s <= now.s; });
    const double gap_s = first_gap(busy, at.s, work.s);
    if (chosen != nullptr && begin_s <= gap_s) continue;
    chosen = &busy;
    begin_s = gap_s;
  }
  if (work.s > 0) insert(*chosen, {begin_s, begin_s + work.s});
  const SimTime begins{begin_s};
  return {begins, std::max(at + overhead, begins + work)};
}

double Processors::first_gap(const Intervals& busy, double at_s, double work_s) {
  double begin_s = at_s;
  for (const Interval& turn : busy) {
    if (begin_s + work_s <= turn.begin_s) break;
    begin_s = std::max(begin_s, turn.end_s);
  }
  return begin_s;
}

void Processors::insert(Intervals& busy, Interval turn) {
  const auto after = std::find_if(busy.begin(), busy.end(), [&](const Interval& i) { return i.begin_s >= turn.end_s; });
  const bool continues = after != busy.begin() && (after - 1)->end_s == turn.begin_s;
  continues ? void((after - 1)->end_s = turn.end_s) : void(busy.insert(after, turn));
}

}  // namespace orrery::network
