// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "network/compensated_sum.hpp"

namespace orrery::network {

/// Which flow crosses which link, and what that asks of the link.
///
/// Flows and links are numbers, dense from 0. A flow's places on its links lie side by side in one array (a power of
/// two of them, at least the longest route), and the places on one link are a doubly linked list through it. So a flow
/// comes and goes in O(length of its route), nothing is allocated once the largest flow number has been seen, and the
/// order in which a link's flows are visited, latest first, depends on nothing but the order of the calls.
class Incidence {
 public:
  using Flow = std::uint32_t;
  using Link = std::uint32_t;
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  struct LinkState {
    double capacity = 0;
    CompensatedSum bounds;  ///< of the rate bounds of its flows: what it would carry at most
    CompensatedSum load;    ///< of the rates of its flows
    std::uint32_t first = kEnd;
    std::uint32_t flows = 0;
  };

  Incidence(std::span<const double> capacities, std::uint32_t longest_route);

  /// Gives room for flows 0 .. flow.
  void make_room(Flow flow);
  /// Notes the route of a flow that is on no link yet.
  void prepare(Flow flow, std::span<const Link> links);
  void insert(Flow flow, double bound);
  void erase(Flow flow, double bound, double rate);

  [[nodiscard]] std::span<const Link> links_of(Flow flow) const {
    return {&link_of_place_[std::size_t{flow} << shift_], route_length_[flow]};
  }
  [[nodiscard]] LinkState& link(Link link) { return links_[link]; }
  [[nodiscard]] const LinkState& link(Link link) const { return links_[link]; }
  [[nodiscard]] std::size_t link_count() const { return links_.size(); }

  /// Calls `visit(flow)` for every flow on the link; `visit` must not change who is on it.
  template <class Visit>
  void for_each_flow(Link link, Visit visit) const {
    for (std::uint32_t place = links_[link].first; place != kEnd; place = neighbours_[place].next)
      visit(place >> shift_);
  }

 private:
  struct Neighbours {
    std::uint32_t next, previous;
  };

  std::uint32_t shift_;  ///< a flow has 2^shift places
  std::vector<LinkState> links_;
  std::vector<Link> link_of_place_;
  std::vector<Neighbours> neighbours_;
  std::vector<std::uint32_t> route_length_;
};

}  // namespace orrery::network
