// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery::sharing {

/// The relation between flows and the links that they cross.
///
/// Flows and links are small numbers. A flow has one place for each link of its route; the places of a flow are
/// adjacent in one array, 2^shift of them, at least as many as the longest route has links. A link has a list of
/// places, in the order of insertion. A list of few places is in the same cache line as its length, and is searched
/// when a flow leaves. In a list of many, each place knows its position, and a place that leaves is a gap until half of
/// the list is gaps. So a flow is inserted and erased in O(length of its route), a walk along a link reads memory in
/// order, no memory is allocated once each link has had its most flows, and the order of visits (latest first) depends
/// on the order of calls only.
class Incidence {
 public:
  using Flow = std::uint32_t;
  using Link = std::uint32_t;
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  Incidence(std::size_t links, std::uint32_t longest_route);

  /// Makes room for the flows 0 to `flow`.
  void make_room(Flow flow);
  /// Notes the route of a flow that is on no link yet.
  void prepare(Flow flow, std::span<const Link> links);
  void insert(Flow flow);
  void erase(Flow flow);

  [[nodiscard]] std::span<const Link> links_of(Flow flow) const {
    return {&link_of_place_[std::size_t{flow} << shift_], route_length_[flow]};
  }

  /// Calls `visit(flow)` for the flows on the link until it gives false; `visit` must not insert or erase flows.
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
    std::uint32_t gaps = 0;  ///< number of gaps; 0 in a list of few. The last place is never a gap
    std::array<std::uint32_t, kFew> few;
    std::vector<std::uint32_t>
        many;  ///< all places, kEnd for a gap; used once there are more than kFew, until the list is empty

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
