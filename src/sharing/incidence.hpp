// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery::sharing {

/// Sparse incidence matrix of flows and links: gives the links of a flow, and the flows on a link.
///
/// Flows and links are small numbers. An entry of the matrix is called a place. Flow f has the places f·2^shift to
/// (f + 1)·2^shift − 1, one for each link of its route, so a place gives its flow; 2^shift is at least the length of
/// the longest route. Each link has a list of its places, in the order of insertion:
/// - up to few_enough places are in the same cache line as their number, and `erase` searches them;
/// - in a longer list, each place knows its position. `erase` leaves a gap; the list is compacted when more than half
///   of it is gaps.
/// Cost of `insert` and `erase`: O(length of the route). A walk along a link reads memory in order. No allocation once
/// each link has had its largest number of flows. The order of visits, latest first, depends only on the calls so far.
class Incidence {
 public:
  using Flow = std::uint32_t;
  using Link = std::uint32_t;
  static constexpr std::uint32_t end_of_list = std::numeric_limits<std::uint32_t>::max();

  Incidence(std::size_t links, std::uint32_t longest_route);

  /// Makes room for the flows 0 to `flow`.
  void make_room(Flow flow);
  /// Stores the route of a flow that is not inserted.
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
      if (places[i] != end_of_list && !visit(places[i] >> shift_)) return;
  }

 private:
  static constexpr std::uint32_t few_enough = 8;

  struct alignas(64) List {
    std::uint32_t size = 0;
    std::uint32_t gaps = 0;  ///< number of gaps; 0 in a list of few. The last place is never a gap
    std::array<std::uint32_t, few_enough> few;
    /// All places, end_of_list for a gap; used from when there are more than few_enough until the list is empty.
    std::vector<std::uint32_t> many;

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
