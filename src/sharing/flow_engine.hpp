// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.hpp"
#include "platform/platform.hpp"
#include "sharing/event_heap.hpp"
#include "sharing/flow_bundles.hpp"
#include "sharing/link_load.hpp"

namespace orrery::sharing {

using TransferId = std::uint32_t;  ///< chosen by the caller: dense, reused

/// Decides whether a transfer waits longer between the end of its latency and the start of its flow.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Additional wait of a transfer over these links. Called once for each transfer.
  [[nodiscard]] virtual Duration holds(std::span<const platform::LinkId> links) = 0;
};

/// Transfers under way. A transfer waits for its latency, and is then a flow of its bytes with its max-min fair rate.
///
/// Events whose times differ by rounding only (instant) are one instant.
class FlowEngine {
 public:
  explicit FlowEngine(const platform::Platform& platform, double burst_bytes = 0, const Accuracy& accuracy = {});
  /// @param capacities of links, in bytes per second   @param longest_route most links that a transfer will cross
  /// @param burst_bytes that each link lets pass at once after idleness
  FlowEngine(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes = 0,
             const Accuracy& accuracy = {});

  /// Asks `gate`, which must outlive the engine, about each transfer from now on, and counts the flows on each link. No
  /// transfer may be under way.
  void ask(Gate& gate, std::size_t links);
  /// Number of flows on a link. Requires a gate.
  [[nodiscard]] std::uint32_t flows_on(platform::LinkId link) const { return sharing_.flows_on(link); }

  /// Records in `load`, which must outlive the engine, what links carry from now on; results stay the same to the last
  /// bit. No transfer may be under way.
  void record(LinkLoad& load) { load_ = &load; }

  /// Starts a transfer.
  /// @param asks whether the gate, if there is one, is asked about it
  /// @param bytes on the wire   @param bound of the flow's rate, positive   @param links that the transfer crosses
  /// @param weight of its rate where it shares a bottleneck
  void start(TransferId id, SimTime now, Duration latency, double bytes, std::span<const platform::LinkId> links,
             Bandwidth bound, bool asks = true, double weight = 1);
  /// Changes the weight of a transfer that has been started and has not ended.
  void reweigh(TransferId id, SimTime now, double weight);
  /// Bytes that all these links would let pass at once (token buckets).
  [[nodiscard]] double burst_bytes(std::span<const platform::LinkId> links, SimTime now) const {
    return sharing_.buckets().any() ? sharing_.buckets().tokens(links, now.s) : 0;
  }
  /// Bytes that a transfer under way has still to pass.
  [[nodiscard]] double remaining_bytes(TransferId id, SimTime now) const;

  /// Time of the next event; none if no transfer is under way.
  [[nodiscard]] std::optional<SimTime> next_event();
  /// Appends the transfers that end at `now`, in the order of their starts.
  void advance(SimTime now, std::vector<TransferId>& ended);

 private:
  /// 45 times the spacing of doubles, relatively: 10 picoseconds at a simulated quarter of an hour.
  static constexpr double instant = 1e-14;

  enum class Phase : std::uint8_t { Latency, Bandwidth };

  struct Moving {
    std::uint64_t order = 0;
    double bytes = 0;  ///< of its flow
    Phase phase = Phase::Latency;
    bool asks = false;  ///< the gate is still to be asked
  };

  void latency_over(TransferId id, SimTime now, std::vector<TransferId>& ended);
  [[nodiscard]] Duration held(TransferId id);
  void pass_burst(TransferId id, SimTime now);
  void end_flows(SimTime now, std::vector<TransferId>& ended);
  void reach(SimTime now);

  FlowBundles sharing_;
  Gate* gate_ = nullptr;
  LinkLoad* load_ = nullptr;    ///< null: nobody wants to know
  EventHeap latencies_;         ///< ends of latencies
  std::vector<Moving> moving_;  ///< by transfer
  std::uint64_t started_ = 0;
};

}  // namespace orrery::sharing
