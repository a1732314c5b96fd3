// SPDX-License-Identifier: BSD-3-Clause
#include "network/hybrid.hpp"

#include <algorithm>
#include <utility>

namespace orrery::network {

using platform::HostId;

namespace {

constexpr double one_ways_per_round_trip = 2;
/// Bits of an index of the route cache. 1,024 pairs take about 100 kB, so that a look-up is cheaper than a new route.
constexpr int pair_bits = 10;
constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  ///< multiplicative hash (Knuth, TAOCP 3, section 6.4)

}  // namespace

Hybrid::Hybrid(platform::Platform platform, const settings::Network& settings, std::uint64_t seed,
               const sharing::Accuracy& accuracy)
    : platform_(std::move(platform)),
      between_nodes_("between_nodes", settings.between_nodes),
      inside_node_("inside_node", settings.inside_node),
      framing_(settings.framing),
      tcp_window_bytes_(static_cast<double>(settings.tcp_window_bytes)),
      rate_noise_(settings.rate_noise),
      factor_of_(settings.bandwidth_factor_of),
      noise_(seed),
      flows_(platform_, static_cast<double>(settings.burst_bytes), accuracy),
      pairs_(std::size_t{1} << pair_bits) {
  settings::check(settings, "network");
  if (framing_.store_and_forward()) note_forwarding_rates();
}

Cost Hybrid::cost(HostId from, HostId to, Bytes bytes) {
  const Pair& ends = pair(from, to);
  const Regime& regime = regime_of(ends.inside, bytes);
  const auto k = static_cast<double>(bytes.count);
  return {.protocol = regime.protocol,
          .send_overhead = {regime.send_overhead_s + k * regime.send_overhead_s_per_byte},
          .recv_overhead = {regime.recv_overhead_s + k * regime.recv_overhead_s_per_byte},
          .latency = latency(regime, ends.route, bytes)};
}

std::optional<SimTime> Hybrid::start(const Transfer& transfer, SimTime now) {
  const Path there = path(transfer.from, transfer.to, transfer.bytes);
  Duration latency = there.latency + transfer.setup;
  // The receiver dropped the data of an Optimistic message; its request for them takes the latency of an empty message.
  if (transfer.fetched) latency += this->latency(between_nodes_.of({0}), *there.route, {0});
  const double bytes = there.inside ? there.bytes : there.bytes * lengthening();
  flows_.start(transfer.id, now, remaining_latency(latency, transfer, now), bytes, there.route->links, there.bound,
               !there.inside);
  return std::nullopt;
}

Hybrid::Path Hybrid::path(HostId from, HostId to, Bytes bytes) {
  const Pair& ends = pair(from, to);
  const Regime& regime = regime_of(ends.inside, bytes);
  return {.inside = ends.inside,
          .route = &ends.route,
          .latency = latency(regime, ends.route, bytes),
          .bound = bound(ends.route, ends.inside ? regime.bandwidth_factor : route_factor(regime)),
          .bytes = ends.inside ? static_cast<double>(bytes.count) : framing_.on_wire(bytes) / share(regime)};
}

Duration Hybrid::remaining_latency(Duration latency, const Transfer& transfer, SimTime now) {
  if (starts_at_once(transfer.protocol)) return latency;
  const Duration waited = now - std::max(transfer.send_posted + transfer.rts_delay, transfer.receive_posted);
  return waited > Duration{} ? std::max(Duration{}, latency - waited) : latency;
}

/// Computes the time per byte of each link over which frames are sent. Limiters, memory, sockets and relays only limit
/// rates; no frames are sent over them.
void Hybrid::note_forwarding_rates() {
  seconds_per_byte_.reserve(platform_.link_count());
  for (platform::LinkId id = 0; id < platform_.link_count(); ++id) {
    const platform::Link link = platform_.link(id);
    using enum platform::LinkKind;
    const bool forwards = link.kind != NodeLimiter && link.kind != CabinetLimiter && link.kind != WanLimiter &&
                          link.kind != Memory && link.kind != Sockets && link.kind != Relay;
    seconds_per_byte_.push_back(forwards ? 1 / link.bandwidth.bytes_per_s : 0);
  }
}

Duration Hybrid::latency(const Regime& regime, const platform::Route& route, Bytes bytes) const {
  const Duration latency = latency_of(regime, route.latency) + forwarding(route, bytes);
  return route.relayed ? latency + storing(regime, *route.relayed, bytes) : latency;
}

/// Time of a relay, which has a part of the message before it sends that part on. Its time on the slower one of the two
/// connections is part of the time of the flow already.
Duration Hybrid::storing(const Regime& regime, const platform::Relayed& relayed, Bytes bytes) const {
  double stored = framing_.on_wire(bytes);
  if (relayed.buffer_bytes > 0) stored = std::min(stored, static_cast<double>(relayed.buffer_bytes));
  const Bandwidth faster = std::max(relayed.in.bandwidth, relayed.out.bandwidth) * regime.bandwidth_factor;
  return {stored / faster.bytes_per_s};
}

/// Time of store and forward: the last frame is sent once on each link. Its time on the slowest link is part of the
/// time of the flow already, which has the rate of that link.
Duration Hybrid::forwarding(const platform::Route& route, Bytes bytes) const {
  if (seconds_per_byte_.empty()) return {};
  double sum = 0, slowest = 0;
  for (const platform::LinkId id : route.links) {
    sum += seconds_per_byte_[id];
    slowest = std::max(slowest, seconds_per_byte_[id]);
  }
  return {framing_.frame(framing_.on_wire(bytes)) * (sum - slowest)};
}

/// A TCP connection sends at most one window per round trip, which takes twice the latency of the route. At a relay one
/// connection ends and another begins.
Bandwidth Hybrid::bound(const platform::Route& route, double factor) const {
  const Bandwidth bound = route.bandwidth * factor;
  const Duration longest =
      route.relayed ? std::max(route.relayed->in.latency, route.relayed->out.latency) : route.latency;
  if (tcp_window_bytes_ == 0 || longest.s == 0) return bound;
  return std::min(bound, Bandwidth{tcp_window_bytes_ / (one_ways_per_round_trip * longest.s)});
}

/// The route of a pair of hosts, from a cache: most ranks send to a few others, again and again.
const Hybrid::Pair& Hybrid::pair(HostId from, HostId to) {
  const std::uint64_t key = std::uint64_t{from} << 32 | to;
  Pair& known = pairs_[key * golden_ratio >> (64 - pair_bits)];
  if (known.key != key) {
    platform_.route(from, to, known.route);
    known.inside = from == to || platform_.host_of(from) == platform_.host_of(to);
    known.key = key;
  }
  return known;
}

std::unique_ptr<NetworkModel> make_hybrid(platform::Platform platform, const settings::Network& settings,
                                          std::uint64_t seed, const sharing::Accuracy& accuracy) {
  return std::make_unique<Hybrid>(std::move(platform), settings, seed, accuracy);
}

namespace {

/// Ranges of the same sizes with the same protocols, and nothing else.
std::vector<Regime> protocols_of(const std::vector<Regime>& regimes) {
  std::vector<Regime> found;
  for (const Regime& regime : regimes) found.push_back({.end_bytes = regime.end_bytes, .protocol = regime.protocol});
  return found.empty() ? std::vector<Regime>{{}} : found;
}

}  // namespace

std::unique_ptr<NetworkModel> make_fluid(platform::Platform platform, const settings::Network& settings,
                                         const sharing::Accuracy& accuracy) {
  return make_hybrid(std::move(platform),
                     {.between_nodes = protocols_of(settings.between_nodes),
                      .inside_node = protocols_of(settings.inside_node),
                      .framing = settings.framing},
                     0, accuracy);
}

}  // namespace orrery::network
