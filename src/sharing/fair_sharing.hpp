// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <set>
#include <span>
#include <vector>

#include "sharing/accuracy.hpp"
#include "sharing/compensated_sum.hpp"
#include "sharing/event_heap.hpp"
#include "sharing/token_buckets.hpp"

namespace orrery::sharing {

/// Service of a link or of a bundle of flows, as a multiple of its smallest flow, after which it is reset to 0 to keep
/// its precision.
inline constexpr double long_service = 1e5;

/// Rates and ends of flows that share links by max-min fairness.
///
/// The problem. Link l has capacity C_l; flow f crosses a set of links, has a weight w_f and a rate bound b_f. Its rate
/// is w_f times its level. Levels are max-min fair: every flow is at its bound, or crosses a link that is full and on
/// which no flow has a higher level, its bottleneck. There is exactly one solution, which changes whenever a flow
/// starts or ends.
///
/// Virtual time. All flows whose bottleneck is link l have the same level s_l. So l counts the service V_l that each of
/// them gets per unit of weight, dV_l/dt = s_l. A flow of n bytes ends when V_l has grown by n / w_f since its start.
/// When s_l changes, one number changes, however many flows the link holds back, and the order of their ends, kept in a
/// heap, stays the same.
///
/// Published levels. The room that others leave on link m is C_m − Σ w_f s_b(f) over its flows f with other bottlenecks
/// b(f), and s_m is that room divided by the weight of the flows that m holds back. In an all-to-all every link depends
/// on every other one, and each start or end changes all levels by a millionth. So the room of link m is computed from
/// published levels. A published level stands for a straight line of V_l over time. Link l publishes a new one only
/// when V_l is about to deviate from that line by more than a tolerance. The deviation is published with it and
/// corrected, so that over time every full link passes exactly its capacity. Published levels also determine the
/// bottlenecks.
///
/// A flow changes its bottleneck from h to m when s_m < s_h. Links publish in the order of their levels, the lowest
/// first, as they depend on lower ones only.
///
/// A link counts its room only while it could become full. It could not if the bounds of its flows add up to less than
/// its capacity, or if no flow has a level above the guard of the link, about its capacity / the weight of all its
/// flows.
///
/// Cost: O(route) for a flow that meets no link that could be full; otherwise O(flows on the link) for each link that
/// publishes a level. Results depend on the order of calls only. Ends are as exact as `Accuracy` says; in systems of
/// thousands of flows a few are off by more (docs/design/sharing.md gives figures).
class FairSharing {
 public:
  using Flow = std::uint32_t;
  using Link = std::uint32_t;

  /// @param capacities one per link, positive, in bytes per second; infinite: the link holds nothing back
  /// @param longest_route most links that a flow will cross
  /// @param burst_bytes that each link lets pass at once after idleness (sharing/token_buckets.hpp)
  FairSharing(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes = 0,
              const Accuracy& accuracy = {});

  /// Gives the route, bound and weight of a flow before it starts.
  /// @param flow number of the caller's choice that is not in use, preferably small
  /// @param links without repetition   @param bound positive, finite, bytes per second   @param weight positive
  void prepare(Flow flow, std::span<const Link> links, double bound, double weight = 1);
  /// Starts a prepared flow. Times never decrease from call to call.
  /// @param bytes positive   @param size in bytes; the error of the end is relative to the time that these take
  void add(Flow flow, double now_s, double bytes, double size);
  /// Bound and weight of a flow.
  struct Share {
    double bound;   ///< positive, finite, bytes per second
    double weight;  ///< positive
  };
  /// Sets share and remaining bytes of a flow from `now_s` on. A flow that has ended starts again.
  void change(Flow flow, double now_s, const Share& share, double bytes, double size);
  /// Computes all levels for the changes before `now_s`; later changes belong to `now_s`.
  void solve_before(double now_s);

  /// Time of the next event; infinity: none. Computes all levels for the starts and ends since the last call.
  [[nodiscard]] double next_event();
  /// Goes to `now_s`, at most what `next_event` gave, and appends the flows that end then. These are no longer present.
  void advance(double now_s, std::vector<Flow>& ended);

  /// Bytes that a present flow has still to pass.
  [[nodiscard]] double remaining_bytes(Flow flow, double now_s) const {
    return service_left(flow, now_s) * flows_[flow].weight;
  }
  /// Bytes that it has still to pass, per unit of its weight.
  [[nodiscard]] double service_left(Flow flow, double now_s) const;
  /// Bytes per unit of weight that a flow had left when it ended, because it ended with another one (see
  /// Accuracy::together).
  [[nodiscard]] double lacked(Flow flow) const { return flows_[flow].remaining; }
  /// Bytes per second, right after `next_event`.
  [[nodiscard]] double rate(Flow flow) const;
  /// Links of a flow that was prepared last with this number.
  [[nodiscard]] std::span<const Link> links_of(Flow flow) const {
    return {&link_of_place_[std::size_t{flow} << shift_], flows_[flow].route_length};
  }
  [[nodiscard]] TokenBuckets& buckets() { return buckets_; }
  [[nodiscard]] const TokenBuckets& buckets() const { return buckets_; }

 private:
  static constexpr Link own_bound =
      std::numeric_limits<Link>::max();  ///< instead of a bottleneck: the flow's own bound
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  struct FlowState {
    double bound = 0;
    double weight = 1;
    double size = 0;       ///< bytes; see `add`
    double remaining = 0;  ///< at `since_s`, of one at its bound; of one that has ended: see `lacked`
    double since_s = 0;
    Link holder = own_bound;  ///< its bottleneck
    std::uint32_t end = 0;    ///< place in its holder's heap
    std::uint32_t route_length = 0;
    bool present = false;
  };

  /// A flow's end in its bottleneck's virtual time.
  struct End {
    double service;
    Flow flow;
  };

  /// A flow on a link (by its place), and its bottleneck.
  struct Member {
    std::uint32_t place;
    Link holder;
  };

  /// A link that counts its room, on the route of a flow with another bottleneck.
  struct Target {
    Link link;
    std::uint32_t place;
  };

  /// Room that flows with other bottlenecks leave on a link: the part of its state that a publication elsewhere
  /// changes.
  struct Room {
    CompensatedSum rate;            ///< capacity − rates of these flows by published levels; if the link counts it
    double owed = 0;                ///< bytes that these flows got beyond the published lines, to subtract from V
    std::uint32_t idle_counts = 0;  ///< checks with room left before `stop_counting` is tried
    bool dirty = false;             ///< room or weight changed since the level was computed
    bool holds = false;             ///< the link holds flows back
  };

  /// A link's virtual time.
  struct alignas(64) LinkState {
    double held_weight = 0;   ///< of the flows that it holds back
    double level = infinite;  ///< of these: room / held_weight
    double service = 0;       ///< V at `since_s`
    double since_s = 0;
    double told_service = 0;  ///< the published line at `told_at_s`
    double told_at_s = 0;
    double capacity = 0;
    double smallest = infinite;        ///< bytes per unit of weight of its smallest flow
    double guard = infinite;           ///< level; while no flow is above it, the link need not count its room
    double ceiling = infinite;         ///< lowest guard of other links on the routes of the flows that it holds back
    double lowest_bound = infinite;    ///< lowest bound / weight of these flows
    double weight = 0;                 ///< of all flows on it
    std::uint32_t flows = 0;           ///< number of flows on it
    std::uint32_t patience = 0;        ///< initial value of `idle_counts`
    std::uint32_t at_bound = 0;        ///< number of flows on it that are at their bounds
    bool counts = false;               ///< it counts its room
    bool even = true;                  ///< all weights of the flows that it holds back are 1
    bool queued = false;               ///< in the queue to publish
    bool recheck = false;              ///< queued, and passed over when others chose their bottlenecks
    CompensatedSum bounds;             ///< sum of the rate bounds of its flows
    std::pmr::vector<End> ends;        ///< of the flows that it holds back, a heap
    std::pmr::vector<Target> targets;  ///< of the flows that it holds back
    std::pmr::vector<Member> members;  ///< all flows on it

    explicit LinkState(std::pmr::memory_resource* memory) : ends(memory), targets(memory), members(memory) {}
    [[nodiscard]] bool can_be_full() const { return bounds.value() > capacity; }
    [[nodiscard]] bool holds() const { return !ends.empty(); }
  };

  /// Order of links by published levels, then by numbers.
  struct Lower {
    const double* published;
    bool operator()(Link a, Link b) const { return published[a] != published[b] ? published[a] < published[b] : a < b; }
  };
  using Order = std::set<Link, Lower>;

  /// By how much the service and the level of a link are too large, since other links have not published theirs yet.
  struct UnpublishedChange {
    double service = 0, level = 0;
  };

  struct Place {
    double level;
    Link holder;
  };
  struct Candidate {
    double level;
    Flow flow;
  };
  struct Queued {
    double level;  ///< published
    double fair;   ///< capacity / weight of all flows on the link
    Link link;
  };

  // Which flow crosses which link.
  void enter_links(Flow flow);
  void leave_links(Flow flow);
  [[nodiscard]] Flow flow_of(const Member& member) const { return member.place >> shift_; }

  // Flows and their bottlenecks.
  [[nodiscard]] double level_of(Flow flow) const;
  [[nodiscard]] Place lowest(Flow flow) const;
  [[nodiscard]] Place lowest_settled(Flow flow, Link except);
  void contribute(Flow flow, double sign);
  void join(Flow flow, Link holder, double service_left);
  void quit(Flow flow);
  void hold(Flow flow, Link holder);
  void end(Flow flow, std::vector<Flow>& ended);

  // Which links count their room.
  void guard(Flow flow);
  void guard_anew(Link id);
  void keep_below(Flow flow, Link id);
  void count(Link id);
  void stop_counting(Link id);
  void check_ceiling(Link id);
  void aim(Link holder, std::uint32_t place);
  void forget(Link holder, std::uint32_t place);

  // Links and their virtual time.
  void change_at(double now_s);
  void bring_up(Link id);
  void mark(Link id) {
    dirty_[dirty_count_] = id;
    dirty_count_ += rooms_[id].dirty ? 0 : 1;
    rooms_[id].dirty = true;
  }
  [[nodiscard]] double deviation(Link id) const;
  [[nodiscard]] double attention(Link id) const;
  [[nodiscard]] double line_ends(Link id) const;
  void watch(Link id);
  void rebase(LinkState& link);
  [[nodiscard]] bool is_due(double time_s, double soon_s) const;

  void enter_order(Link id);
  void leave_order(Link id);
  void publish_level(Link id, double level);
  [[nodiscard]] bool meets_higher(Link id, double level) const;

  // Levels.
  [[nodiscard]] UnpublishedChange unpublished_change(Link id) const;
  void settle();
  void evaluate(Link id);
  void look_idle(Link id, double room);
  void enqueue(Link id);
  void process(Link id);
  void begin_to_hold(Link id);
  bool give_away(Link id, bool all);
  bool take_over(Link id, bool all);
  bool take_from_met(Link id, double level);
  void consider(const Candidate& candidate, Link holder);
  void take_highest(Link id);
  void publish(Link id);

  // Heaps of ends.
  void push_end(LinkState& link, End end);
  void erase_end(LinkState& link, std::uint32_t place);
  void rise(LinkState& link, std::size_t place, End end);
  void sink(LinkState& link, std::size_t place, End end);

  [[nodiscard]] double rounded(double level) const;

  Accuracy accuracy_;
  std::uint64_t unit_;   ///< of `rounded`
  std::uint32_t shift_;  ///< a flow has 2^shift places
  TokenBuckets buckets_;
  std::vector<FlowState> flows_;
  std::vector<Link> link_of_place_;
  std::vector<std::uint32_t> position_;  ///< of a place among the members of its link
  std::vector<std::uint32_t> target_;    ///< of a place among the targets of its flow's bottleneck
  /// Memory of the lists of links. Lists never shrink, so nothing is freed.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;
  std::vector<LinkState> links_;
  std::vector<Room> rooms_;
  std::vector<double> published_;  ///< published level of each link; infinity: it holds no flow back
  EventHeap events_;               ///< events of links, by number, then of flows at their bounds, number + links

  double now_s_ = 0;                       ///< time of the changes since levels were computed
  double changed_at_s_ = 0;                ///< last time at which flows started or ended
  double gap_s_ = infinite;                ///< moving average of the time between such instants
  double horizon_s_ = infinite;            ///< time for which published levels should stay valid
  bool changed_ = false;                   ///< flows started or ended since levels were computed
  Order order_;                            ///< links that hold flows back
  std::vector<Order::iterator> in_order_;  ///< by link
  std::vector<Order::node_type> unused_;   ///< free nodes of `order_`, so that nothing is allocated again
  std::vector<Link> dirty_;                ///< size: links + 1, as `mark` writes an entry before it checks for it
  std::size_t dirty_count_ = 0;
  std::vector<Queued> queue_;  ///< a heap, the lowest first
  std::vector<Candidate> candidates_;
};

}  // namespace orrery::sharing
