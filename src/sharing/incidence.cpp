// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/incidence.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace orrery::sharing {

Incidence::Incidence(std::size_t links, std::uint32_t longest_route)
    : shift_(static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(std::max(longest_route, 1u))) - 1)),
      lists_(links) {}

void Incidence::make_room(Flow flow) {
  if (flow < route_length_.size()) return;
  const std::size_t flows = std::max<std::size_t>(std::size_t{flow} + 1, 2 * route_length_.size());
  assert(flows << shift_ < end_of_list && "more places than 32 bits can number");
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
    List& list = lists_[id];
    if (list.size < few_enough && list.many.empty()) {
      list.few[list.size++] = place++;
      continue;
    }
    if (list.many.empty()) become_many(list);
    position_[place] = list.size++;
    list.many.push_back(place++);
  }
}

void Incidence::become_many(List& list) {
  list.many.assign(list.few.begin(), list.few.end());
  for (std::uint32_t i = 0; i < list.size; ++i) position_[list.many[i]] = i;
}

void Incidence::erase(Flow flow) {
  std::uint32_t place = flow << shift_;
  for (const Link id : links_of(flow)) {
    List& list = lists_[id];
    list.many.empty() ? leave_few(list, place) : leave_many(list, place);
    ++place;
  }
}

void Incidence::leave_few(List& list, std::uint32_t place) {
  std::uint32_t* const end = list.few.data() + list.size;
  std::uint32_t* at = list.few.data();
  while (*at != place) ++at;
  for (++at; at != end; ++at) at[-1] = *at;
  --list.size;
}

void Incidence::leave_many(List& list, std::uint32_t place) {
  list.many[position_[place]] = end_of_list;
  ++list.gaps;
  for (; list.size > 0 && list.many.back() == end_of_list; --list.size, --list.gaps) list.many.pop_back();
  if (2 * std::size_t{list.gaps} > list.size) close_gaps(list);
}

void Incidence::close_gaps(List& list) {
  std::erase(list.many, end_of_list);
  list.size = static_cast<std::uint32_t>(list.many.size());
  list.gaps = 0;
  for (std::uint32_t i = 0; i < list.size; ++i) position_[list.many[i]] = i;
}

}  // namespace orrery::sharing
