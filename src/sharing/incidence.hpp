// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery::sharing {

/// Which flow crosses which link.
///
/// Flows and links are numbers, dense from 0. A flow's places on its links lie side by side in one array (a power of
/// two of them, at least the longest route); a link's are a list in the order in which they came. Most links have few,
/// which lie in the one line of memory that says how many they are; who leaves them is looked for. Of many, each knows
/// where it stands in the list, and a place that is left stays as a gap until half of the list are gaps. So a flow
/// comes and goes in O(length of its route), a walk along a link reads memory in its order, nothing is allocated once a
/// link has held its most, and the order in which flows are visited, latest first, depends on nothing but the order of
/// the calls.
class Incidence {
 public:
  using Flow = std::uint32_t;
  using Link = std::uint32_t;
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  Incidence(std::size_t links, std::uint32_t longest_route);

  /// Gives room for flows 0 .. flow.
  void make_room(Flow flow);
  /// Notes the route of a flow that is on no link yet.
  void prepare(Flow flow, std::span<const Link> links);
  void insert(Flow flow);
  void erase(Flow flow);

  [[nodiscard]] std::span<const Link> links_of(Flow flow) const {
    return {&link_of_place_[std::size_t{flow} << shift_], route_length_[flow]};
  }

  /// Calls `visit(flow)` for the flows on the link until it gives false; `visit` must not change who is on it.
  template <class Visit>
  void for_each_flow(Link link, Visit visit) const {
    const List& list = lists_[link];
    const std::uint32_t* const places = list.places();
    for (std::size_t i = list.size; i-- > 0;)
      if (places[i] != kEnd && !visit(places[i] >> shift_)) return;
  }

 private:
  static constexpr std::uint32_t kFew = 8;

  struct alignas(64) List {
    std::uint32_t size = 0;
    std::uint32_t gaps = 0;  ///< of these; none of few, and the last one never is
    std::array<std::uint32_t, kFew> few;
    std::vector<std::uint32_t> many;  ///< all of them, kEnd for a gap, from when they are more until there are none

    [[nodiscard]] const std::uint32_t* places() const { return many.empty() ? few.data() : many.data(); }
  };

  void become_many(List& list);
  static void leave_few(List& list, std::uint32_t place);
  void leave_many(List& list, std::uint32_t place);
  void close_gaps(List& list);

  std::uint32_t shift_;  ///< a flow has 2^shift places
  std::vector<List> lists_;
  std::vector<Link> link_of_place_;
  std::vector<std::uint32_t> position_;  ///< of a place in its link's list of many
  std::vector<std::uint32_t> route_length_;
};

}  // namespace orrery::sharing
