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

/// Regimes of overhead, latency and bandwidth over flows that share links.
///
/// A message of k bytes in regime i: T1 = o_s + k·O_s, T3 = o_r + k·O_r; its transfer waits for L = latency factor ×
/// latency of the route + latency_s + what switches that store and forward take, and then is a flow of what it is on
/// the wire, at most B = bandwidth factor × bandwidth of the route fast (and at most a TCP window per round trip).
/// Source: papers/smpi-hybrid-network-model.txt, section 4.
class Hybrid final : public NetworkModel {
 public:
  /// As `make_hybrid`.
  Hybrid(platform::Platform platform, const settings::Network& settings, std::uint64_t seed);

  Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) override;
  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override;
  std::optional<SimTime> next_event() override { return flows_.next_event(); }
  void advance(SimTime now, std::vector<TransferId>& ended) override { flows_.advance(now, ended); }

  // --- for a layer on top, which moves messages itself ---

  /// How a message goes that meets no other.
  struct Path {
    bool inside = false;                     ///< of one node
    const platform::Route* route = nullptr;  ///< valid until the next call
    Duration latency;                        ///< L
    Bandwidth bound;                         ///< B
    double bytes = 0;                        ///< on the wire; inside a node: the message's own
  };
  [[nodiscard]] Path path(platform::HostId from, platform::HostId to, Bytes bytes);
  /// What is left of the latency of a rendezvous that may begin now: a receive of any source has waited for the
  /// envelope since both sides were there. The message takes no longer for it than for a receive that names its source.
  [[nodiscard]] static Duration left(Duration latency, const Transfer& transfer, SimTime now);
  /// How much longer than without noise a transfer is; each call draws.
  [[nodiscard]] double lengthening() { return 1 + noise_(rate_noise_); }

  [[nodiscard]] const platform::Platform& platform() const { return platform_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  [[nodiscard]] sharing::FlowEngine& flows() { return flows_; }

 private:
  /// From one host to another.
  struct Pair {
    std::uint64_t key = ~std::uint64_t{0};  ///< both
    bool inside = false;                    ///< of one host
    platform::Route route;
  };

  [[nodiscard]] const Pair& pair(platform::HostId from, platform::HostId to);
  [[nodiscard]] const Regime& regime_of(bool inside, Bytes bytes) const {
    return (inside ? inside_node_ : between_nodes_).of(bytes);
  }
  [[nodiscard]] Duration latency(const Regime& regime, const platform::Route& route, Bytes bytes) const;
  [[nodiscard]] Duration forwarding(const platform::Route& route, Bytes bytes) const;
  [[nodiscard]] Bandwidth bound(const platform::Route& route, const Regime& regime) const;
  void note_rates();

  platform::Platform platform_;
  Regimes between_nodes_, inside_node_;
  Framing framing_;
  double tcp_window_bytes_, rate_noise_;
  Exponential noise_;
  std::vector<double> seconds_per_byte_;  ///< of links that store and forward; empty: none does
  sharing::FlowEngine flows_;
  std::vector<Pair> pairs_;  ///< by the hash of their hosts
};

}  // namespace orrery::network
