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
/// with r_f ≤ b_f and, on every link, Σ r_f ≤ c_l, such that no rate can grow without another that is not larger
/// shrinking. A flow with weight w counts as w flows that have 1: what is compared are levels, r_f / w_f. There is
/// exactly one solution, and this describes it: every flow is at its bound, or crosses a link that is full and on which
/// no flow is faster. Such a link is the flow's bottleneck.
///
/// How a change is solved. A set F of affected flows begins with the flows that came and with those whose bottleneck
/// lost a flow. F is solved with all other rates fixed, by progressive filling; then the description above is checked
/// on the links of F. Flows outside that no longer fit it join F, and F is solved again, until all fit. All flows
/// outside F keep their rates to the last bit. A link that its flows' bounds together cannot fill takes no part.
///
/// Cost: O(route) for a flow that meets no contended link, or changes alone; otherwise O(n log n) in the links and
/// flows of F, two or three times. F is at most about twice the flows whose rates change. No allocation once links and
/// flows have been at their most. Results depend on the order of calls only.
///
/// Rates are exact up to a relative 1e-9. A bottleneck gives each flow that it holds back at least its part, by
/// weights, of the capacity, so that rounding cannot starve any.
class MaxMin {
 public:
  using Flow = Incidence::Flow;
  using Link = Incidence::Link;

  /// @param capacities one per link, positive   @param longest_route most links that a flow will cross
  MaxMin(std::span<const double> capacities, std::uint32_t longest_route);

  /// Says what a flow will cross and how fast it may be, before it is there.
  /// @param flow number of the caller's choice that is not in use, preferably small
  /// @param links without repetition   @param bound positive, finite   @param weight positive
  void prepare(Flow flow, std::span<const Link> links, double bound, double weight = 1);
  /// A prepared flow comes. It has no rate before `solve`.
  void add(Flow flow);
  void add(Flow flow, std::span<const Link> links, double bound) {
    prepare(flow, links, bound);
    add(flow);
  }
  void remove(Flow flow);
  /// A prepared flow gets another weight; one that is there already, with the next solve.
  void reweigh(Flow flow, double weight);
  [[nodiscard]] double weight(Flow flow) const { return flows_[flow].next_weight; }

  /// Brings all rates up to date. Gives the flows whose rates changed, new ones included; valid until the next call.
  std::span<const Flow> solve();

  [[nodiscard]] double rate(Flow flow) const { return flows_[flow].rate(); }
  /// How many flows cross a link, those that came since the last solve included.
  [[nodiscard]] std::uint32_t flows_on(Link link) const { return links_[link].flows; }
  /// Links of a flow that was prepared last with this number.
  [[nodiscard]] std::span<const Link> links_of(Flow flow) const { return incidence_.links_of(flow); }

 private:
  static constexpr Link kNoLink = Incidence::kEnd;
  static constexpr double kNotKnown = std::numeric_limits<double>::infinity();
  /// Rates and loads that differ by less than this, relatively, are the same.
  static constexpr double kTolerance = 1e-9;
  // Instead of a number in the filling:
  static constexpr Filling::Index kUntouched = Filling::kNone;        ///< no flow of F crosses the link
  static constexpr Filling::Index kUncontended = Filling::kNone - 1;  ///< the bounds of its flows cannot fill it

  struct FlowState {
    double bound = 0;
    double weight = 1;
    double next_weight = 1;  ///< from the next solve on
    double level = 0;        ///< rate for each unit of weight
    bool present = false;
    bool awaits_solve = false;  ///< came since the last solve
    bool affected = false;      ///< in F
    bool reweighed = false;     ///< since the last solve
    [[nodiscard]] double rate() const { return level * weight; }
  };

  /// What the solver knows about a link beside who is on it: one cache line.
  struct alignas(64) LinkState {
    double capacity = 0;
    CompensatedSum bounds;        ///< of the rate bounds of its flows: what it would carry at most
    CompensatedSum load;          ///< of the rates of its flows outside F, if it counts them
    double share = kNotKnown;     ///< level of the flows that it holds back; none on it is faster
    std::uint32_t flows = 0;      ///< on it
    std::uint32_t held_back = 0;  ///< flows outside F whose bottleneck it is
    Filling::Index in_filling = kUntouched;
    bool contended = false;    ///< the bounds of its flows could fill it
    bool counts_load = false;  ///< from when it is contended until nobody is on it; most links never do
    bool lost_flow = false;    ///< since the last solve
    [[nodiscard]] bool can_be_full() const { return bounds.value() > capacity * (1 + kTolerance); }
  };

  /// A contended link of the only flow of F.
  struct Room {
    Link link;
    double left;  ///< by the flows outside F
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
  std::vector<Link> bottlenecks_;  ///< by flow; kNoLink: at its bound. Apart: walks along links read nothing else
  std::vector<LinkState> links_;
  bool goes_far_ = false;  ///< the last solve took in all flows downstream, and most of them changed

  std::vector<Flow> arrived_;    ///< since the last solve
  std::vector<Flow> reweighed_;  ///< of these that were there before it
  std::vector<Link> freed_;      ///< links that lost a flow and hold others back
  std::vector<Flow> affected_;   ///< F, by their numbers in the filling
  std::size_t entered_ = 0;      ///< so many of them are in the filling
  std::vector<Room> rooms_;      ///< for one flow of F
  std::vector<Link> touched_;    ///< links of these that count their load
  std::vector<Link> contended_;  ///< links of these that take part, by their numbers in the filling
  Filling filling_;              ///< F on the contended links
  std::vector<Flow> changed_;
};

}  // namespace orrery::sharing
