// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.hpp"
#include "network/event_heap.hpp"
#include "network/maxmin.hpp"
#include "network/network.hpp"
#include "network/timeouts.hpp"
#include "network/token_buckets.hpp"
#include "platform/platform.hpp"

namespace orrery::network {

/// Transfers under way: each waits for its latency and is then a flow of its bytes at its max-min fair rate.
///
/// A transfer has one event at a time: the end of its latency, then the end of its bytes. How many bytes remain is
/// brought up to date only when its rate changes. Events that are nearer to each other than times can be told apart are
/// one instant (kInstant): flows that should end together do, although their rates were rounded differently.
class FlowEngine {
 public:
  explicit FlowEngine(const platform::Platform& platform, double burst_bytes = 0,
                      const TimeoutParameters& timeouts = {}, std::uint64_t seed = 0);
  /// @param capacities of links, in bytes per second   @param longest_route most links that a transfer will cross
  /// @param burst_bytes that each link lets pass at once after idleness
  FlowEngine(std::span<const double> capacities, std::uint32_t longest_route, double burst_bytes = 0);

  /// @param may_stall false: inside a node, or the rest of a message that has begun
  /// @param bytes on the wire   @param bound of the flow's rate, positive   @param links that the transfer crosses
  /// @param weight of its share of a link, beside others with 1
  void start(TransferId id, SimTime now, Duration latency, double bytes, std::span<const platform::LinkId> links,
             Bandwidth bound, bool may_stall = true, double weight = 1);
  /// A transfer that has been started and has not ended gets another weight.
  void reweigh(TransferId id, SimTime now, double weight);
  /// Bytes that these links would let pass at once.
  [[nodiscard]] double burst_bytes(std::span<const platform::LinkId> links, SimTime now) const {
    return buckets_.any() ? buckets_.tokens(links, now.s) : 0;
  }
  [[nodiscard]] NetworkModel::Stalled stalled() const { return stalled_; }
  /// Bytes of a transfer that has been started and has not ended.
  [[nodiscard]] double remaining_bytes(TransferId id, SimTime now) const;

  [[nodiscard]] std::optional<SimTime> next_event();
  /// Appends the transfers that end at `now`, in the order of their starts.
  void advance(SimTime now, std::vector<TransferId>& ended);

 private:
  /// 45 times the spacing of doubles, relatively: 10 picoseconds at a simulated quarter of an hour.
  static constexpr double kInstant = 1e-14;

  enum class Phase : std::uint8_t { Latency, Bandwidth };

  struct Moving {
    std::uint64_t order = 0;
    double remaining_bytes = 0;  ///< at `since_s`
    double since_s = 0;
    double rate = 0;  ///< 0: not known yet
    Phase phase = Phase::Latency;
    bool may_stall = false;
  };

  void settle();
  void change_rate(TransferId id);
  void enter_bandwidth_phase(TransferId id, SimTime now);
  [[nodiscard]] bool stalls(TransferId id);
  void pass_burst(TransferId id, SimTime now);
  void leave(TransferId id);

  MaxMin solver_;
  TokenBuckets buckets_;
  std::optional<Timeouts> timeouts_;
  NetworkModel::Stalled stalled_;
  EventHeap events_;
  std::vector<Moving> moving_;  ///< by transfer
  std::uint64_t started_ = 0;
  double changed_at_s_ = 0;  ///< when flows came or went last
  bool settled_ = true;      ///< nothing came or went since the rates were computed
};

}  // namespace orrery::network
