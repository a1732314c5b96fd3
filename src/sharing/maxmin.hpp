// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sharing/compensated_sum.hpp"
#include "sharing/filling.hpp"
#include "sharing/incidence.hpp"

namespace orrery::sharing {

/// Max-min fair rates of flows that share links, kept up to date while flows come and go: the plain solver, which
/// computes every rate at each instant. Tests compare FairSharing with it.
///
/// The problem. Link l has capacity c_l > 0; flow f crosses a set of links and has a rate bound b_f > 0. Find rates r_f
/// with r_f ≤ b_f and, on every link, Σ r_f ≤ c_l, such that no rate can grow unless one that is not larger shrinks. A
/// flow of weight w counts as w flows of weight 1, so levels r_f / w_f are compared instead of rates. There is exactly
/// one solution, and it is characterised by: every flow is at its bound, or crosses a full link on which no flow has a
/// higher level. Such a link is the flow's bottleneck.
///
/// How a change is solved. The set F of affected flows begins with the new flows and with those whose bottleneck lost a
/// flow. F is solved by progressive filling with all other rates fixed. Then the characterisation is checked on the
/// links of F: flows outside F that violate it join F, and F is solved again, until none does. All flows outside F keep
/// their rates to the last bit. A link is contended if the bounds of its flows add up to more than its capacity; other
/// links are ignored.
///
/// Cost: O(route) for a flow that crosses no contended link, or is the only one in F; otherwise O(n log n) in the links
/// and flows of F, two or three times. F has at most about twice as many flows as change their rates. No allocation
/// once the numbers of links and flows have been at their largest. Results depend on the order of calls only.
///
/// Rates are exact up to a relative 1e-9. A bottleneck gives each flow that it holds back at least its weighted part of
/// the capacity, so that rounding cannot starve a flow.
class MaxMin {
 public:
  using Flow = Incidence::Flow;
  using Link = Incidence::Link;

  /// @param capacities one per link, positive   @param longest_route most links that a flow will cross
  MaxMin(std::span<const double> capacities, std::uint32_t longest_route);

  /// Sets route, bound and weight of a flow before it is added.
  /// @param flow number of the caller's choice that is not in use, preferably small
  /// @param links without repetition   @param bound positive, finite   @param weight positive
  void prepare(Flow flow, std::span<const Link> links, double bound, double weight = 1);
  /// Adds a prepared flow. Its rate is 0 until `solve`.
  void add(Flow flow);
  void add(Flow flow, std::span<const Link> links, double bound) {
    prepare(flow, links, bound);
    add(flow);
  }
  void remove(Flow flow);
  /// Changes the weight of a prepared flow; if it has been added, from the next `solve` on.
  void reweigh(Flow flow, double weight);
  [[nodiscard]] double weight(Flow flow) const { return flows_[flow].next_weight; }

  /// Updates all rates. Gives the flows whose rates changed, new ones included; valid until the next call.
  std::span<const Flow> solve();

  [[nodiscard]] double rate(Flow flow) const { return flows_[flow].rate(); }
  /// Number of flows on a link, including those that were added since the last `solve`.
  [[nodiscard]] std::uint32_t flows_on(Link link) const { return links_[link].flows; }
  /// Links of a flow that was prepared last with this number.
  [[nodiscard]] std::span<const Link> links_of(Flow flow) const { return incidence_.links_of(flow); }

 private:
  static constexpr Link no_link = Incidence::end_of_list;
  static constexpr double not_known = std::numeric_limits<double>::infinity();
  /// Rates and loads that differ by less than this, relatively, are the same.
  static constexpr double tolerance_part = 1e-9;
  // Values of `in_filling` for links that are not in the filling:
  static constexpr Filling::Index untouched = Filling::none;        ///< no flow of F crosses the link
  static constexpr Filling::Index uncontended = Filling::none - 1;  ///< the bounds of its flows cannot fill it

  struct FlowState {
    double bound = 0;
    double weight = 1;
    double next_weight = 1;  ///< from the next solve on
    double level = 0;        ///< rate per unit of weight
    bool present = false;
    bool awaits_solve = false;  ///< added since the last solve
    bool affected = false;      ///< in F
    bool reweighed = false;     ///< since the last solve
    [[nodiscard]] double rate() const { return level * weight; }
  };

  /// State of a link, in one cache line. The flows on it are in `incidence_`.
  struct alignas(64) LinkState {
    double capacity = 0;
    CompensatedSum bounds;        ///< sum of the rate bounds of its flows
    CompensatedSum load;          ///< sum of the rates of its flows outside F, if `counts_load`
    double share = not_known;     ///< level of the flows that it holds back, the highest on it
    std::uint32_t flows = 0;      ///< number of flows on it
    std::uint32_t held_back = 0;  ///< flows outside F whose bottleneck it is
    Filling::Index in_filling = untouched;
    bool contended = false;    ///< `bounds` exceeds `capacity`
    bool counts_load = false;  ///< from when it is first contended until it has no flows; most links never do
    bool lost_flow = false;    ///< a flow left since the last solve
    [[nodiscard]] bool can_be_full() const { return bounds.value() > capacity * (1 + tolerance_part); }
  };

  /// A contended link of the only flow of F.
  struct Room {
    Link link;
    double left;  ///< capacity that the flows outside F leave
  };

  struct Placed {
    double level;
    Link bottleneck;
  };

  void count_load(Link link);
  void begin_solve();
  bool runs_at_its_bound(Flow flow);
  void affect(Flow flow);
  bool solve_alone(Flow flow);
  void enter_affected();
  void enter(Flow flow);
  void touch(Link link);
  void affect_held_back(Link link);
  void affect_downstream();
  void fill();
  bool affect_misplaced();
  void affect_faster(Link link, double most);
  void commit();
  void commit(Flow flow, const Placed& placed);
  void forget_share(Link link);

  Incidence incidence_;
  std::vector<FlowState> flows_;
  std::vector<Link> bottlenecks_;  ///< by flow; no_link: at its bound. Not in FlowState: walks along links read only it
  std::vector<LinkState> links_;
  bool goes_far_ = false;  ///< the last solve spread to flows far downstream, and many of these changed

  std::vector<Flow> arrived_;    ///< flows added since the last solve
  std::vector<Flow> reweighed_;  ///< flows that were present at the last solve and have another weight since
  std::vector<Link> freed_;      ///< links that lost a flow and hold others back
  std::vector<Flow> affected_;   ///< F; its position is a flow's number in the filling
  std::size_t entered_ = 0;      ///< number of flows of F that are in the filling
  std::vector<Room> rooms_;      ///< if F has one flow
  std::vector<Link> touched_;    ///< links of F that count their load
  std::vector<Link> contended_;  ///< contended links of F; its position is a link's number in the filling
  Filling filling_;              ///< F on the contended links
  std::vector<Flow> changed_;
};

}  // namespace orrery::sharing
