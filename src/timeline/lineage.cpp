// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/lineage.hpp"

#include <algorithm>
#include <utility>

namespace orrery::timeline {

Lineage::Place Lineage::add(const Node& node) {
  ++used_;
  if (free_ == nowhere) {
    nodes_.push_back(node);
    return static_cast<Place>(nodes_.size() - 1);
  }
  const Place place = free_;
  free_ = nodes_[place].before;
  nodes_[place] = node;
  return place;
}

Lineage::Place Lineage::start(std::uint32_t rank) {
  return add({.since_ns = 0, .rank = rank, .held = 1, .before = nowhere});
}

Lineage::Place Lineage::hold(Place place) {
  if (place != nowhere) ++nodes_[place].held;
  return place;
}

void Lineage::release(Place place) {
  while (place != nowhere && --nodes_[place].held == 0) {
    --used_;
    const Place before = std::exchange(nodes_[place].before, free_);
    free_ = std::exchange(place, before);
  }
}

Lineage::Place Lineage::follow(Place from, std::uint32_t rank, std::int64_t ns) {
  if (used_ >= most_) join();
  return add({.since_ns = ns, .rank = rank, .held = 1, .before = hold(from)});
}

/// Two places that only one path goes through become one, on the rank of the longer. Doubles the limit where that does
/// not help.
void Lineage::join() {
  const std::size_t used = used_;
  for (Node& next : nodes_) {
    if (next.held == 0 || next.before == nowhere) continue;
    Node& last = nodes_[next.before];
    if (last.held != 1 || last.before == nowhere || nodes_[last.before].held != 1) continue;
    const Place gone = last.before;
    const Node& first = nodes_[gone];
    if (last.since_ns - first.since_ns > next.since_ns - last.since_ns) last.rank = first.rank;
    last.since_ns = first.since_ns;
    last.before = std::exchange(nodes_[gone].before, free_);
    nodes_[gone].held = 0;
    free_ = gone;
    --used_;
    ++joined_;
  }
  if (used_ > used / 4 * 3) most_ *= 2;
}

std::vector<Lineage::Stay> Lineage::path(Place place, std::int64_t end_ns) const {
  std::vector<Stay> stays;
  for (; place != nowhere; place = nodes_[place].before) {
    const Node& node = nodes_[place];
    const std::int64_t begin_ns = std::min(node.since_ns, end_ns);
    if (!stays.empty() && stays.back().rank == node.rank) {
      stays.back().begin_ns = begin_ns;
    } else if (begin_ns < end_ns) {
      stays.push_back({node.rank, begin_ns, end_ns});
    }
    end_ns = begin_ns;
  }
  std::reverse(stays.begin(), stays.end());
  return stays;
}

}  // namespace orrery::timeline
