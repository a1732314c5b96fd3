// SPDX-License-Identifier: BSD-3-Clause
#include "network/incidence.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace orrery::network {

Incidence::Incidence(std::size_t links, std::uint32_t longest_route)
    : shift_(static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(std::max(longest_route, 1u))) - 1)),
      lists_(links) {}

void Incidence::make_room(Flow flow) {
  if (flow < route_length_.size()) return;
  const std::size_t flows = std::max<std::size_t>(std::size_t{flow} + 1, 2 * route_length_.size());
  assert(flows << shift_ < kEnd && "more places than 32 bits can number");
  route_length_.resize(flows);
  link_of_place_.resize(flows << shift_);
  position_.resize(flows << shift_);
}

void Incidence::prepare(Flow flow, std::span<const Link> links) {
  assert(links.size() <= std::size_t{1} << shift_ && "a route longer than announced");
  route_length_[flow] = static_cast<std::uint32_t>(links.size());
  std::copy(links.begin(), links.end(), &link_of_place_[std::size_t{flow} << shift_]);
}

void Incidence::insert(Flow flow) {
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    std::vector<std::uint32_t>& places = lists_[id].places;
    position_[place] = static_cast<std::uint32_t>(places.size());
    places.push_back(place++);
  }
}

void Incidence::erase(Flow flow) {
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    List& list = lists_[id];
    list.places[position_[place++]] = kEnd;
    ++list.gaps;
    for (; !list.places.empty() && list.places.back() == kEnd; --list.gaps) list.places.pop_back();
    if (2 * std::size_t{list.gaps} > list.places.size()) close_gaps(list);
  }
}

void Incidence::close_gaps(List& list) {
  std::erase(list.places, kEnd);
  list.gaps = 0;
  for (std::uint32_t i = 0; i < list.places.size(); ++i) position_[list.places[i]] = i;
}

}  // namespace orrery::network
