// SPDX-License-Identifier: BSD-3-Clause
#include "network/incidence.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace orrery::network {

Incidence::Incidence(std::span<const double> capacities, std::uint32_t longest_route)
    : shift_(static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(std::max(longest_route, 1u))) - 1)),
      links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = capacities[i];
}

void Incidence::make_room(Flow flow) {
  if (flow < route_length_.size()) return;
  const std::size_t flows = std::max<std::size_t>(std::size_t{flow} + 1, 2 * route_length_.size());
  assert(flows << shift_ < kEnd && "more places than 32 bits can number");
  route_length_.resize(flows);
  link_of_place_.resize(flows << shift_);
  neighbours_.resize(flows << shift_);
}

void Incidence::prepare(Flow flow, std::span<const Link> links) {
  assert(links.size() <= std::size_t{1} << shift_ && "a route longer than announced");
  route_length_[flow] = static_cast<std::uint32_t>(links.size());
  std::copy(links.begin(), links.end(), &link_of_place_[std::size_t{flow} << shift_]);
}

void Incidence::insert(Flow flow, double bound) {
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    LinkState& link = links_[id];
    neighbours_[place] = {link.first, kEnd};
    if (link.first != kEnd) neighbours_[link.first].previous = place;
    link.first = place++;
    ++link.flows;
    link.bounds.add(bound);
  }
}

void Incidence::erase(Flow flow, double bound, double rate) {
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    LinkState& link = links_[id];
    const auto [next, previous] = neighbours_[place++];
    (previous == kEnd ? link.first : neighbours_[previous].next) = next;
    if (next != kEnd) neighbours_[next].previous = previous;
    if (--link.flows == 0) {
      link.bounds.reset();
      link.load.reset();
    } else {
      link.bounds.subtract(bound);
      link.load.subtract(rate);
    }
  }
}

}  // namespace orrery::network
