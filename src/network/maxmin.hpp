// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/incidence.hpp"

namespace orrery::network {

/// Max-min fair rates of flows that share links, kept up to date while flows come and go.
///
/// The problem. Link l has capacity c_l > 0; flow f crosses a set of links and has a rate bound b_f > 0. Find rates r_f
/// with r_f ≤ b_f and, on every link, Σ r_f ≤ c_l, such that no rate can grow without another that is not larger
/// shrinking. There is exactly one solution, and this describes it: every flow is at its bound, or crosses a link that
/// is full and on which no flow is faster. Such a link is the flow's bottleneck.
///
/// How a change is solved. A set F of affected flows begins with the flows that came and with those whose bottleneck
/// lost a flow. F is solved with all other rates fixed, by progressive filling; then the description above is checked
/// on the links of F. Flows outside that no longer fit it join F, and F is solved again, until all fit. All flows
/// outside F keep their rates to the last bit. A link that its flows' bounds together cannot fill takes no part.
///
/// Cost: O(route) for a flow that meets no contended link; otherwise O(n log n) in the links and flows of F, two or
/// three times. F is about twice the flows whose rates change. No allocation once the largest flow number has been
/// seen. Results depend on the order of calls only.
///
/// Rates are exact up to a relative 1e-9. A bottleneck gives each flow that it holds back at least its capacity divided
/// by the number of its flows, so that rounding cannot starve any.
class MaxMin {
 public:
  using Flow = Incidence::Flow;
  using Link = Incidence::Link;

  /// @param capacities one per link, positive   @param longest_route most links that a flow will cross
  MaxMin(std::span<const double> capacities, std::uint32_t longest_route);

  /// Says what a flow will cross and how fast it may be, before it is there.
  /// @param flow number of the caller's choice that is not in use, preferably small
  /// @param links without repetition   @param bound positive, finite
  void prepare(Flow flow, std::span<const Link> links, double bound);
  /// A prepared flow comes. It has no rate before `solve`.
  void add(Flow flow);
  void add(Flow flow, std::span<const Link> links, double bound) {
    prepare(flow, links, bound);
    add(flow);
  }
  void remove(Flow flow);

  /// Brings all rates up to date. Gives the flows whose rates changed, new ones included; valid until the next call.
  std::span<const Flow> solve();

  [[nodiscard]] double rate(Flow flow) const { return flows_[flow].rate; }
  /// How many flows cross a link, those that came since the last solve included.
  [[nodiscard]] std::uint32_t flows_on(Link link) const { return incidence_.link(link).flows; }
  /// Links of a flow that was prepared last with this number.
  [[nodiscard]] std::span<const Link> links_of(Flow flow) const { return incidence_.links_of(flow); }

 private:
  static constexpr Link kNoLink = Incidence::kEnd;
  static constexpr double kNoShare = -1;  ///< holds back no member; 0 is a share, of a member that finds a full link

  struct FlowState {
    double bound = 0;
    double rate = 0;
    double new_rate = 0;         ///< while it is in F; before it is filled, the most that it may get
    Link bottleneck = kNoLink;   ///< kNoLink: at its bound
    std::uint64_t affected = 0;  ///< the solve in which it joined F last
    bool present = false;
    bool awaits_solve = false;  ///< came since the last solve
    bool filled = false;        ///< has its new rate in this filling
  };

  /// What the solver knows about a link beside who is on it.
  struct LinkState {
    double share = 0;             ///< rate of the flows that it holds back
    std::uint32_t held_back = 0;  ///< flows outside F whose bottleneck it is
    std::uint64_t touched = 0;    ///< the solve in which F reached it last
    bool lost_flow = false;       ///< since the last solve
    bool contended = false;       ///< in this solve: the bounds of its flows can fill it
    // The rest belongs to one filling.
    std::uint32_t members = 0;   ///< flows of F on it
    std::uint32_t unfilled = 0;  ///< of these, not filled yet
    double room = 0;             ///< capacity that the flows outside F and the filled ones leave
    double fastest_member = 0;
    double new_share = kNoShare;  ///< of the members that it holds back
  };

  struct Level {
    double share;
    Link link;
  };

  [[nodiscard]] bool contended(Link link) const;
  void begin_solve();
  bool runs_at_its_bound(Flow flow);
  void affect(Flow flow);
  void affect_held_back(Link link);
  void affect_downstream();
  void fill();
  void prepare_filling();
  void limit(Flow flow);
  void fill_up_to(double level);
  void fill_flow(Flow flow, double rate, Link bottleneck);
  void fill_link(Link link, double share);
  bool affect_misplaced();
  void affect_faster(Link link);
  void commit();

  Incidence incidence_;
  std::vector<FlowState> flows_;
  std::vector<LinkState> links_;
  std::uint64_t solve_number_ = 0;
  bool goes_far_ = false;  ///< the last solve took in all flows downstream, and most of them changed

  std::vector<Flow> arrived_;     ///< since the last solve
  std::vector<Link> freed_;       ///< links that lost a flow and hold others back
  std::vector<Flow> affected_;    ///< F
  std::vector<Link> touched_;     ///< links of F
  std::vector<Flow> by_limit_;    ///< F, those that may get least first
  std::vector<Level> levels_;     ///< heap of contended links with several members, smallest share first
  std::size_t next_limited_ = 0;  ///< in by_limit_: those before have their rates
  std::vector<Flow> changed_;
};

}  // namespace orrery::network
