// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery::sharing::example {

struct SharedFlow {
  std::vector<std::uint32_t> links;
  double bound;
  double weight = 1;
};

/// Max-min fair rates by progressive filling as textbooks have it: the rates of all flows rise together, each by its
/// weight, and a flow stops at its bound or at the first of its links that is full. Bertsekas and Gallager, Data
/// Networks, 1992, section 6.5.2.
/// @return rates in the order of the flows, in which those that are not `there` are left out and have the rate 0
inline std::vector<double> fill_by_the_book(std::vector<double> room, std::span<const SharedFlow> flows,
                                            std::span<const std::size_t> there) {
  constexpr double same = 1 + 1e-12;
  std::vector<double> rates(flows.size(), 0.0), rising(room.size(), 0.0);
  std::vector<std::size_t> left(there.begin(), there.end());
  while (!left.empty()) {
    std::fill(rising.begin(), rising.end(), 0.0);
    for (const auto flow : left)
      for (const auto link : flows[flow].links) rising[link] += flows[flow].weight;
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t link = 0; link < room.size(); ++link)
      if (rising[link] > 0) level = std::min(level, room[link] / rising[link]);
    for (const auto flow : left) level = std::min(level, flows[flow].bound / flows[flow].weight);

    std::vector<double> full(room.size(), 0.0);
    for (std::size_t link = 0; link < room.size(); ++link)
      full[link] = rising[link] > 0 && room[link] <= level * same * rising[link];
    const auto stops = [&](std::size_t number) {
      const SharedFlow& flow = flows[number];
      if (flow.bound <= level * same * flow.weight) return true;
      return std::any_of(flow.links.begin(), flow.links.end(), [&](auto link) { return full[link] != 0; });
    };
    const auto stopped = std::stable_partition(left.begin(), left.end(), [&](auto flow) { return !stops(flow); });
    for (auto flow = stopped; flow != left.end(); ++flow) {
      rates[*flow] = level * flows[*flow].weight;
      for (const auto link : flows[*flow].links) room[link] -= rates[*flow];
    }
    left.erase(stopped, left.end());
  }
  return rates;
}

}  // namespace orrery::sharing::example
