// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/exponential.hpp"
#include "network/framing.hpp"
#include "network/network.hpp"
#include "network/regimes.hpp"

namespace orrery::network {

/// The hybrid model: LogGPS-like overheads by regimes of message size, and flows that share links.
///
/// A message of k bytes in its regime has the send overhead T1 = o_s + k·O_s and the receive overhead T3 = o_r + k·O_r.
/// Its transfer first waits for the latency L = max(0, latency factor × latency of the route + latency_s) + time of
/// switches and relays that store and forward. It is then a flow of its bytes on the wire. The rate of the flow is at
/// most B = bandwidth factor × bandwidth of the route, and at most one TCP window per round trip of a connection; or,
/// with `bandwidth_factor_of = "share"`, the factor times what the flow would have without it.
/// Source: Bédaride and others 2013, section 4.
class Hybrid final : public NetworkModel {
 public:
  /// See `make_hybrid`.
  Hybrid(platform::Platform platform, const settings::Network& settings, std::uint64_t seed,
         const sharing::Accuracy& accuracy = {});

  Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) override;
  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override;
  std::optional<SimTime> next_event() override { return flows_.next_event(); }
  void advance(SimTime now, std::vector<TransferId>& ended) override { flows_.advance(now, ended); }
  bool record(sharing::LinkLoad& load) override {
    flows_.record(load);
    return true;
  }

  // --- for the room transport, which moves messages itself ---

  /// Route and costs of a message that is alone on the network.
  struct Path {
    bool inside = false;                     ///< both ends are on one node
    const platform::Route* route = nullptr;  ///< valid until the next call of any method
    Duration latency;                        ///< L
    Bandwidth bound;                         ///< B
    double bytes = 0;                        ///< on the wire; inside a node: the message's own
  };
  [[nodiscard]] Path path(platform::HostId from, platform::HostId to, Bytes bytes);
  /// Rest of the latency of a message whose transfer begins at `now`. A rendezvous with a receive from any source
  /// begins only when its envelope has arrived; the time that has passed since RTS and receive were both there is taken
  /// off the latency. So the message takes no longer than with a receive that names its source. Other messages keep
  /// `latency`.
  [[nodiscard]] static Duration remaining_latency(Duration latency, const Transfer& transfer, SimTime now);
  /// Random factor, at least 1, on the bytes of a transfer: 1 + noise with mean `rate_noise`. Each call draws anew.
  [[nodiscard]] double lengthening() { return 1 + noise_(rate_noise_); }

  [[nodiscard]] const platform::Platform& platform() const { return platform_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  [[nodiscard]] sharing::FlowEngine& flows() { return flows_; }

 private:
  /// A source and a destination, with the route between them.
  struct Pair {
    std::uint64_t key = ~std::uint64_t{0};  ///< source in the upper, destination in the lower 32 bits
    bool inside = false;                    ///< both are on one host
    platform::Route route;
  };

  /// The reference is valid until the next call.
  [[nodiscard]] const Pair& pair(platform::HostId from, platform::HostId to);
  [[nodiscard]] const Regime& regime_of(bool inside, Bytes bytes) const {
    return (inside ? inside_node_ : between_nodes_).of(bytes);
  }
  [[nodiscard]] Duration latency(const Regime& regime, const platform::Route& route, Bytes bytes) const;
  [[nodiscard]] Duration forwarding(const platform::Route& route, Bytes bytes) const;
  [[nodiscard]] Duration storing(const Regime& regime, const platform::Relayed& relayed, Bytes bytes) const;
  [[nodiscard]] Bandwidth bound(const platform::Route& route, double factor) const;
  /// Factor of the bandwidth of a route, and of a message's share of its links: one of them is that of the regime.
  [[nodiscard]] double route_factor(const Regime& regime) const {
    return factor_of_ == settings::FactorOf::Route ? regime.bandwidth_factor : 1;
  }
  [[nodiscard]] double share(const Regime& regime) const {
    return factor_of_ == settings::FactorOf::Share ? regime.bandwidth_factor : 1;
  }
  void note_forwarding_rates();

  platform::Platform platform_;
  Regimes between_nodes_, inside_node_;
  Framing framing_;
  double tcp_window_bytes_, rate_noise_;
  settings::FactorOf factor_of_;
  Exponential noise_;
  /// By link; 0: it forwards no frames. Empty: no switch stores and forwards.
  std::vector<double> seconds_per_byte_;
  sharing::FlowEngine flows_;
  std::vector<Pair> pairs_;  ///< cache, by hash of source and destination
};

}  // namespace orrery::network
