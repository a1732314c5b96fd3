// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

#include "base/quantity.hpp"

namespace orrery::transport {

/// Serves one request after the other. Requests may be announced in any order: each is served in the first gap after
/// its arrival that is long enough.
class Desk {
 public:
  /// @return when a request that arrives then, and takes so long, has been served
  SimTime serve(SimTime arrival, Duration takes) {
    if (takes.s <= 0) return arrival;
    SimTime begin = arrival;
    auto next = busy_.upper_bound(begin);
    if (next != busy_.begin()) begin = std::max(begin, std::prev(next)->second);
    for (; next != busy_.end() && next->first < begin + takes; ++next) begin = next->second;
    const SimTime end = begin + takes;
    if (next != busy_.begin() && std::prev(next)->second == begin)
      std::prev(next)->second = end;
    else
      busy_.emplace_hint(next, begin, end);
    return end;
  }

 private:
  std::map<SimTime, SimTime> busy_;  ///< begins and ends of the times in which it serves
};

}  // namespace orrery::transport
