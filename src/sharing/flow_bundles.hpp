// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sharing/fair_sharing.hpp"

namespace orrery::sharing {

/// Max-min fair sharing with bundles: all flows with the same route, bound and weight are one flow of FairSharing.
///
/// Such flows always have the same rate. So a bundle of n of them is one flow of FairSharing with n times the bound and
/// n times the weight. The bundle counts the service S, the bytes that each of its flows has got per unit of weight. A
/// flow of b bytes and weight w that starts at S = S_0 ends at S = S_0 + b / w. A heap gives the first end of the
/// bundle, and FairSharing knows only that one. All messages from the ranks of one node to the ranks of another cost
/// FairSharing as much as one message.
///
/// Cost: that of FairSharing for as many flows as there are bundles, and O(route + log n) for a start or an end.
class FlowBundles {
 public:
  using Flow = FairSharing::Flow;
  using Link = FairSharing::Link;

  /// Parameters as those of FairSharing.
  FlowBundles(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes = 0,
              const Accuracy& accuracy = {});

  /// Gives the route, bound and weight of a flow before it starts.
  /// @param flow number of the caller's choice that is not in use, preferably small
  /// @param links without repetition   @param bound positive, finite, bytes per second   @param weight positive
  void prepare(Flow flow, std::span<const Link> links, double bound, double weight = 1);
  /// Starts a prepared flow. Times never decrease from call to call.
  /// @param bytes positive
  void add(Flow flow, double now_s, double bytes);
  /// Changes the weight of a flow that is prepared or present.
  void reweigh(Flow flow, double now_s, double weight);

  /// Time of the next event; infinity: none. Computes all levels for the starts and ends since the last call.
  [[nodiscard]] double next_event() { return sharing_.next_event(); }
  /// Goes to `now_s`, at most what `next_event` gave, and appends the flows that end then. These are no longer present.
  void advance(double now_s, std::vector<Flow>& ended);

  /// Bytes that a present flow has still to pass.
  [[nodiscard]] double remaining_bytes(Flow flow, double now_s) const;
  /// Bytes per second, right after `next_event`.
  [[nodiscard]] double rate(Flow flow) const;
  /// Counts the flows on each link from now on, for `flows_on`. No flow may be present.
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
  static constexpr std::uint32_t none = std::numeric_limits<Bundle>::max();

  struct FlowState {
    double bound = 0;
    double weight = 1;
    double end = 0;  ///< S of its bundle at which it ends
    Bundle bundle = none;
    std::uint32_t route_length = 0;
    Flow child = none;    ///< its first child in the heap of its bundle
    Flow sibling = none;  ///< the next child of its parent
  };

  struct BundleState {
    double bound = 0;                                           ///< of each flow
    double weight = 1;                                          ///< of each flow
    double smallest = std::numeric_limits<double>::infinity();  ///< bytes per unit of weight of its smallest flow
    std::size_t hash = 0;
    std::uint32_t flows = 0;
    Flow first = none;  ///< the first flow to end: root of a pairing heap, whose pointers are in FlowState
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

  double together_;  ///< see Accuracy
  FairSharing sharing_;
  std::size_t longest_route_;
  std::vector<FlowState> flows_;
  std::vector<Link> links_;              ///< of flows
  std::vector<std::uint32_t> flows_on_;  ///< by link; empty: not counted
  std::vector<BundleState> bundles_;
  std::vector<Bundle> unused_;
  std::vector<Bundle> ended_;
  std::vector<Flow> listed_;
  /// Hash table with one bundle per slot, the last that was made. A bundle that was replaced gets no further flows.
  std::vector<Bundle> slots_;
};

}  // namespace orrery::sharing
