// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sharing/fair_sharing.hpp"

namespace orrery::sharing {

/// Flows that share links by max-min fairness, where flows of equal route, bound and weight are one to FairSharing.
///
/// Such flows have the same rate, whatever the others do. So a bundle of n of them is one flow of FairSharing with n
/// times the bound and n times the weight. The bundle counts the service S that each has had for a unit of weight. A
/// flow of b bytes and weight w that finds S when it comes ends when S has grown by b / w; a heap has the first end of
/// the bundle, and FairSharing is told only of that one. What ranks of one node send to those of another one costs
/// FairSharing as much as one message does.
///
/// Cost: that of FairSharing for as many flows as there are bundles, and O(route + log n) for a start or an end.
class FlowBundles {
 public:
  using Flow = FairSharing::Flow;
  using Link = FairSharing::Link;

  /// As FairSharing's.
  FlowBundles(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes = 0);

  /// Says what a flow will cross and how fast it may be, before it comes.
  /// @param flow number of the caller's choice that is not in use, preferably small
  /// @param links without repetition   @param bound positive, finite, bytes per second   @param weight positive
  void prepare(Flow flow, std::span<const Link> links, double bound, double weight = 1);
  /// A prepared flow comes. Times never decrease from call to call.
  /// @param bytes positive
  void add(Flow flow, double now_s, double bytes);
  /// A flow that has come or is prepared gets another weight.
  void reweigh(Flow flow, double now_s, double weight);

  /// When something is to be done next; infinity: never. What came or went since the last call is solved for.
  [[nodiscard]] double next_event() { return sharing_.next_event(); }
  /// Goes to `now_s`, at most what `next_event` gave, and appends the flows that end there. They are gone.
  void advance(double now_s, std::vector<Flow>& ended);

  /// Bytes of a flow that is there.
  [[nodiscard]] double remaining_bytes(Flow flow, double now_s) const;
  /// Bytes per second, right after `next_event`.
  [[nodiscard]] double rate(Flow flow) const;
  /// From now on counts what `flows_on` says. No flow may be there.
  void count_flows(std::size_t links) { flows_on_.assign(links, 0); }
  [[nodiscard]] std::uint32_t flows_on(Link link) const { return flows_on_[link]; }
  /// Links of a flow that was prepared last with this number.
  [[nodiscard]] std::span<const Link> links_of(Flow flow) const {
    return {&links_[std::size_t{flow} * longest_route_], flows_[flow].route_length};
  }
  [[nodiscard]] TokenBuckets& buckets() { return sharing_.buckets(); }
  [[nodiscard]] const TokenBuckets& buckets() const { return sharing_.buckets(); }

 private:
  using Bundle = FairSharing::Flow;
  static constexpr std::uint32_t kNone = std::numeric_limits<Bundle>::max();

  struct FlowState {
    double bound = 0;
    double weight = 1;
    double end = 0;  ///< S of its bundle at which it ends
    Bundle bundle = kNone;
    std::uint32_t route_length = 0;
    Flow child = kNone;    ///< in the heap of its bundle: the first of those below it
    Flow sibling = kNone;  ///< the next one below the same flow
  };

  struct BundleState {
    double bound = 0;                                           ///< of each flow
    double weight = 1;                                          ///< of each flow
    double smallest = std::numeric_limits<double>::infinity();  ///< bytes for a unit of weight of its smallest flow
    std::size_t hash = 0;
    std::uint32_t flows = 0;
    Flow first = kNone;  ///< to end: the root of a pairing heap, which needs no memory but that of flows
  };

  [[nodiscard]] std::size_t hash_of(Flow flow) const;
  [[nodiscard]] bool belongs(Flow flow, Bundle bundle) const;
  [[nodiscard]] Bundle& slot(std::size_t hash) { return slots_[hash & (slots_.size() - 1)]; }
  [[nodiscard]] Bundle make(Flow flow, std::size_t hash);
  void put(Flow flow, double now_s, double bytes);
  void count(Flow flow, int more);
  void free(Bundle bundle);
  void more_slots();
  [[nodiscard]] double service(Bundle bundle, double now_s) const;
  void tell(Bundle bundle, double now_s, double service);

  // The heap of a bundle (Fredman et al. 1986, doi:10.1007/BF01840439).
  [[nodiscard]] Flow meld(Flow a, Flow b);
  void push(BundleState& bundle, Flow flow);
  void pop(BundleState& bundle);
  void remove(BundleState& bundle, Flow flow);
  void list(const BundleState& bundle);

  FairSharing sharing_;
  std::size_t longest_route_;
  std::vector<FlowState> flows_;
  std::vector<Link> links_;              ///< of flows
  std::vector<std::uint32_t> flows_on_;  ///< by link; empty: nobody asks
  std::vector<BundleState> bundles_;
  std::vector<Bundle> unused_;
  std::vector<Bundle> ended_;
  std::vector<Flow> listed_;
  /// By hash, the last bundle that was made with it. One that has been replaced goes on, but nobody joins it any more.
  std::vector<Bundle> slots_;
};

}  // namespace orrery::sharing
