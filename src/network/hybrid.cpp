// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "network/flow_engine.hpp"
#include "network/network.hpp"
#include "network/regimes.hpp"

namespace orrery::network {
namespace {

using platform::HostId;

/// Regimes of overhead, latency and bandwidth over flows that share links.
///
/// A message of k bytes in regime i: T1 = o_s + k·O_s, T3 = o_r + k·O_r; its transfer waits for L = latency factor ×
/// latency of the route, and then is a flow of k bytes, at most B = bandwidth factor × bandwidth of the route fast (and
/// at most a TCP window per round trip).
/// Source: papers/smpi-hybrid-network-model.txt, section 4.
class Hybrid final : public NetworkModel {
 public:
  Hybrid(platform::Platform platform, HybridParameters parameters)
      : platform_(std::move(platform)),
        network_("network", std::move(parameters.network)),
        memory_("memory", std::move(parameters.memory)),
        tcp_window_bytes_(parameters.tcp_window_bytes),
        flows_(platform_) {
    if (!(tcp_window_bytes_ >= 0 && std::isfinite(tcp_window_bytes_)))
      throw InputError(concat("tcp_window_bytes is ", tcp_window_bytes_, ", but must not be negative (0: no bound)"));
  }

  Cost cost(HostId from, HostId to, Bytes bytes) override {
    const Regime& regime = regime_of(from, to, bytes);
    const auto k = static_cast<double>(bytes.count);
    return {.protocol = regime.protocol,
            .send_overhead = {regime.send_overhead_s + k * regime.send_overhead_s_per_byte},
            .recv_overhead = {regime.recv_overhead_s + k * regime.recv_overhead_s_per_byte},
            .latency = regime.latency_factor * route(from, to).latency};
  }

  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override {
    const Regime& regime = regime_of(transfer.from, transfer.to, transfer.bytes);
    const platform::Route& links = route(transfer.from, transfer.to);
    flows_.start(transfer.id, now, regime.latency_factor * links.latency, transfer.bytes, links.links,
                 rate_bound(links, regime));
    return std::nullopt;
  }

  std::optional<SimTime> next_event() override { return flows_.next_event(); }
  void advance(SimTime now, std::vector<TransferId>& ended) override { flows_.advance(now, ended); }

 private:
  [[nodiscard]] const Regime& regime_of(HostId from, HostId to, Bytes bytes) const {
    return (from == to ? memory_ : network_).of(bytes);
  }

  /// The route that was asked for last is kept: an eager message asks for its cost and starts at once.
  const platform::Route& route(HostId from, HostId to) {
    if (from != route_from_ || to != route_to_) platform_.route(route_from_ = from, route_to_ = to, route_);
    return route_;
  }

  [[nodiscard]] Bandwidth rate_bound(const platform::Route& route, const Regime& regime) const {
    const Bandwidth bound = route.bandwidth * regime.bandwidth_factor;
    if (tcp_window_bytes_ == 0 || route.latency.s == 0) return bound;
    return std::min(bound, Bandwidth{tcp_window_bytes_ / (2 * route.latency.s)});
  }

  platform::Platform platform_;
  Regimes network_, memory_;
  double tcp_window_bytes_;
  FlowEngine flows_;
  platform::Route route_;
  HostId route_from_ = std::numeric_limits<HostId>::max(), route_to_ = route_from_;
};

}  // namespace

std::unique_ptr<NetworkModel> make_hybrid(platform::Platform platform, HybridParameters parameters) {
  return std::make_unique<Hybrid>(std::move(platform), std::move(parameters));
}

std::unique_ptr<NetworkModel> make_fluid(platform::Platform platform) {
  const Regime plain{.end = std::numeric_limits<std::int64_t>::max()};
  return make_hybrid(std::move(platform), {.network = {plain}, .memory = {plain}});
}

}  // namespace orrery::network
