// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "network/connections.hpp"
#include "network/flow_engine.hpp"
#include "network/network.hpp"
#include "network/noises.hpp"
#include "network/regimes.hpp"

namespace orrery::network {
namespace {

using platform::HostId;

/// A request takes this much longer than a grant, because the send is set up before it leaves.
constexpr double request_to_grant = 1.1;

/// Regimes of overhead, latency and bandwidth over flows that share links.
///
/// A message of k bytes in regime i: T1 = o_s + k·O_s, T3 = o_r + k·O_r; its transfer waits for L = latency factor ×
/// latency of the route + what switches that store and forward take, and then is a flow of k bytes, at most B =
/// bandwidth factor × bandwidth of the route fast (and at most a TCP window per round trip). Source:
/// papers/smpi-hybrid-network-model.txt, section 4.
class Hybrid final : public NetworkModel {
 public:
  Hybrid(platform::Platform platform, HybridParameters parameters)
      : platform_(std::move(platform)),
        network_("network", std::move(parameters.network)),
        memory_("memory", std::move(parameters.memory)),
        tcp_window_bytes_(parameters.tcp_window_bytes),
        framing_(parameters.framing),
        processors_(parameters.processors),
        noise_(parameters.noise),
        first_message_{parameters.first_message_s},
        sends_end_with_data_(parameters.send_buffer_bytes <= 0),
        answers_in_calls_(parameters.grants_wait_for_data),
        flows_(platform_, parameters.burst_bytes, parameters.timeouts, parameters.noise.seed) {
    check(parameters);
    if (framing_.store_and_forward) note_rates();
    // Ranks that wait for processors get behind each other, and so do their messages.
    if (parameters.grants_wait_for_data || processors_.count > 0)
      connections_.emplace(platform_, flows_,
                           Connections::Parameters{.send_buffer_bytes = parameters.send_buffer_bytes,
                                                   .queue_bytes = parameters.queue_bytes,
                                                   .later_share = parameters.later_share,
                                                   .ack_fraction = parameters.ack_fraction,
                                                   .small_bytes = small_bytes(parameters),
                                                   .control_bytes = control_bytes(parameters)});
  }

  Cost cost(HostId from, HostId to, Bytes bytes) override {
    const Regime& regime = regime_of(from, to, bytes);
    const auto k = static_cast<double>(bytes.count);
    return {.protocol = regime.protocol,
            .send_overhead = {regime.send_overhead_s + k * regime.send_overhead_s_per_byte},
            .recv_overhead = {regime.recv_overhead_s + k * regime.recv_overhead_s_per_byte},
            .latency = envelope(regime, from, to, bytes)};
  }

  Duration request_delay(HostId from, HostId to, SimTime now) override {
    if (!connections_ || is_inside(from, to)) return {};
    const Bandwidth bound = route(from, to).bandwidth;
    return connections_->before_request(platform_.host_of(from), platform_.host_of(to), bound, now);
  }

  bool has_room(HostId from, HostId to, Bytes bytes, SimTime now) override {
    return !connections_ || is_inside(from, to) ||
           connections_->has_room(platform_.host_of(from), platform_.host_of(to), framing_.on_wire(bytes), now);
  }

  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override {
    const Regime& regime = regime_of(transfer.from, transfer.to, transfer.bytes);
    const platform::Route& links = route(transfer.from, transfer.to);
    const bool inside = is_inside(transfer.from, transfer.to);
    Duration latency = latency_of(regime, links, transfer.bytes);
    if (!inside) latency += meeting(transfer);
    // What was dropped is asked for first.
    if (transfer.fetched) latency += latency_of(network_.of({0}), links, {0});
    if (!connections_ || inside) latency = left(latency, transfer, now);
    if (connections_ && !inside) {
      connect(transfer, now, latency, rate_bound(links, regime));
    } else {
      const double bytes =
          inside ? static_cast<double>(transfer.bytes.count) : framing_.on_wire(transfer.bytes) * noise_.lengthening();
      if (connections_)
        connections_->start_inside(transfer.id, now, latency, bytes, links.links, rate_bound(links, regime));
      else
        flows_.start(transfer.id, now, latency, bytes, links.links, rate_bound(links, regime), !inside);
    }
    return std::nullopt;
  }

  std::optional<SimTime> next_event() override {
    return connections_ ? connections_->next_event() : flows_.next_event();
  }
  void advance(SimTime now, std::vector<TransferId>& ended) override {
    connections_ ? connections_->advance(now, ended) : flows_.advance(now, ended);
  }
  void take_released(std::vector<TransferId>& released) override {
    if (connections_) connections_->take_released(released);
  }

  Handling handle(Side side, Duration overhead) override {
    const Duration work = work_of(side) + beyond_empty(side, overhead);
    // Who is awake goes from one message to the next and spends its work only.
    const bool awake = processors_.count > 0 && side == Side::Receive;
    const Duration delay = noise_.delay();
    const Duration spread = noise_.around(work, delay);
    return {spread, awake ? spread : std::max(Duration{}, overhead + delay)};
  }
  [[nodiscard]] bool handling_varies() const override { return noise_.delays(); }
  [[nodiscard]] Duration frame_work(Bytes bytes) const override {
    return {(framing_.frames(bytes) - 1) * processors_.frame_work_s};
  }
  [[nodiscard]] Stalled stalled() const override { return flows_.stalled(); }
  [[nodiscard]] bool answers_in_calls() const override { return answers_in_calls_; }
  [[nodiscard]] SharedProcessors processors() const override { return processors_; }

 private:
  /// From one host to another.
  struct Way {
    std::uint64_t pair = ~std::uint64_t{0};  ///< both
    bool inside = false;                     ///< of one host
    platform::Route route;
  };

  /// What a connection has in front of its node's link at once: two buffers of at least two frames each (Linux:
  /// tcp_min_tso_segs, and "TCP small queues"). Messages that are no longer leave in the order in which they are
  /// written, longer ones in turns. A frame is never parted, even where a queue is fair to each connection.
  static double small_bytes(const HybridParameters& parameters) {
    const Framing& framing = parameters.framing;
    if (framing.payload_bytes <= 0) return parameters.queue_bytes;
    const double frame = framing.payload_bytes + framing.overhead_bytes;
    return std::max(frame, std::min(4 * frame, parameters.queue_bytes));
  }

  static double control_bytes(const HybridParameters& parameters) {
    return parameters.requests_follow_messages ? parameters.framing.on_wire({0}) : 0;
  }

  static void check(const HybridParameters& parameters) {
    const std::pair<std::string_view, double> sizes[] = {
        {"tcp_window_bytes", parameters.tcp_window_bytes},
        {"framing header_bytes", parameters.framing.header_bytes},
        {"framing payload_bytes", parameters.framing.payload_bytes},
        {"framing overhead_bytes", parameters.framing.overhead_bytes},
        {"burst_bytes", parameters.burst_bytes},
        {"send_buffer_bytes", parameters.send_buffer_bytes},
        {"queue_bytes", parameters.queue_bytes},
        {"ack_fraction", parameters.ack_fraction},
        {"processors send_work_s", parameters.processors.send_work_s},
        {"processors recv_work_s", parameters.processors.recv_work_s},
        {"processors wake_work_s", parameters.processors.wake_work_s},
        {"processors idle_wake_s", parameters.processors.idle_wake_s},
        {"processors frame_work_s", parameters.processors.frame_work_s},
        {"noise handling_s", parameters.noise.handling_s},
        {"noise rate_fraction", parameters.noise.rate_fraction},
        {"timeouts wait_s", parameters.timeouts.wait_s},
        {"timeouts probability", parameters.timeouts.probability},
        {"first_message_s", parameters.first_message_s}};
    for (const auto& [name, value] : sizes)
      if (!(value >= 0 && std::isfinite(value)))
        throw InputError(concat(name, " is ", value, ", but must not be negative (0: without)"));
    if (!(parameters.later_share > 0 && parameters.later_share <= 1))
      throw InputError(concat("later_share is ", parameters.later_share, ", but must be above 0 and at most 1"));
    if (!(parameters.processors.slice_s > 0))
      throw InputError(concat("processors slice_s is ", parameters.processors.slice_s, ", but must be positive"));
  }

  /// What a message takes of a processor more than one of no bytes: the call copies them, to frames or from them.
  [[nodiscard]] Duration beyond_empty(Side side, Duration overhead) const {
    const Regime& empty = network_.of({0});
    const Duration least{side == Side::Send ? empty.send_overhead_s : empty.recv_overhead_s};
    return std::max(Duration{}, overhead - least);
  }

  [[nodiscard]] Duration work_of(Side side) const {
    switch (side) {
      case Side::Send: return {processors_.send_work_s};
      case Side::Receive: return {processors_.recv_work_s};
      case Side::Woken: break;
    }
    return {processors_.recv_work_s + processors_.wake_work_s};
  }

  [[nodiscard]] const Regime& regime_of(HostId from, HostId to, Bytes bytes) {
    return (is_inside(from, to) ? memory_ : network_).of(bytes);
  }

  [[nodiscard]] bool is_inside(HostId from, HostId to) { return way(from, to).inside; }

  /// What the first message between two ranks takes more.
  Duration meeting(const Transfer& transfer) {
    if (first_message_.s <= 0) return {};
    const auto [low, high] = std::minmax(transfer.from_rank, transfer.to_rank);
    const bool new_pair = met_.insert(static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low)).second;
    return new_pair ? first_message_ : Duration{};
  }

  void note_rates() {
    seconds_per_byte_.reserve(platform_.link_count());
    for (platform::LinkId id = 0; id < platform_.link_count(); ++id) {
      const platform::Link link = platform_.link(id);
      using enum platform::LinkKind;
      const bool passed = link.kind != NodeLimiter && link.kind != CabinetLimiter && link.kind != WanLimiter &&
                          link.kind != Memory && link.kind != Sockets;
      seconds_per_byte_.push_back(passed ? 1 / link.bandwidth.bytes_per_s : 0);
    }
  }

  /// What the last frame takes on all links but the slowest, whose rate is that of the flow.
  [[nodiscard]] Duration forwarding(const platform::Route& links, Bytes bytes) const {
    if (seconds_per_byte_.empty()) return {};
    double sum = 0, slowest = 0;
    for (const platform::LinkId id : links.links) {
      sum += seconds_per_byte_[id];
      slowest = std::max(slowest, seconds_per_byte_[id]);
    }
    return {framing_.frame(framing_.on_wire(bytes)) * (sum - slowest)};
  }

  [[nodiscard]] Duration latency_of(const Regime& regime, const platform::Route& links, Bytes bytes) const {
    return regime.latency(links.latency) + forwarding(links, bytes);
  }

  /// One way of a small message, and what its receiver takes to handle it.
  [[nodiscard]] Duration control_leg(HostId from, HostId to, Duration latency) {
    const Regime& small = network_.of({0});
    return std::min(latency_of(small, route(from, to), {0}) + Duration{small.recv_overhead_s}, latency * 0.3);
  }

  /// What is left of the latency of a rendezvous, which begins when both sides are there. A receive of any source has
  /// waited for the envelope since then: the message takes no longer for it than for one that names its source.
  static Duration left(Duration latency, const Transfer& transfer, SimTime now) {
    const bool rendezvous = transfer.protocol == Protocol::Detached || transfer.protocol == Protocol::Synchronous;
    const Duration waited = now - std::max(transfer.send_posted + transfer.request_delay, transfer.receive_posted);
    return rendezvous && waited > Duration{} ? std::max(Duration{}, latency - waited) : latency;
  }

  /// When the receiver can know of a message.
  Duration envelope(const Regime& regime, HostId from, HostId to, Bytes bytes) {
    const Duration latency = latency_of(regime, route(from, to), bytes);
    const bool asks = regime.protocol == Protocol::Detached || regime.protocol == Protocol::Synchronous;
    if (!connections_ || is_inside(from, to)) return latency;
    return without_waking(asks ? control_leg(from, to, latency) * request_to_grant : latency);
  }

  /// The way of data. An idle processor that their receiver wakes on is up to the ranks (kernel/sharing.cpp).
  [[nodiscard]] Duration without_waking(Duration way) const {
    return std::max(Duration{}, way - Duration{processors_.idle_wake_s});
  }

  /// The latency of a rendezvous is that of three ways: its request, which left when the send was posted, its grant,
  /// and its data. The first two are small messages that their receivers handle, the rest is left to the data. A
  /// request takes a little longer, because the send is set up before it leaves. That decides a frequent case: who
  /// answers a request that has come and then sends its own, has its answer read first.
  void connect(const Transfer& transfer, SimTime now, Duration latency, Bandwidth bound) {
    const bool rendezvous = transfer.protocol == Protocol::Detached || transfer.protocol == Protocol::Synchronous;
    const Duration control = control_leg(transfer.from, transfer.to, latency);
    const Duration request = control * request_to_grant;
    const SimTime answered = std::max(transfer.receive_posted, transfer.send_posted + request + transfer.request_delay);
    const bool asks = rendezvous && transfer.send_posted >= now;
    const SimTime written = rendezvous && !asks ? std::max(now, answered) : transfer.send_posted;
    const double lengthening = noise_.lengthening();
    const Duration leg = without_waking(rendezvous ? latency - request - control : latency);
    connections_->start(transfer.id,
                        {.from = platform_.host_of(transfer.from),
                         .to = platform_.host_of(transfer.to),
                         .wire_bytes = framing_.on_wire(transfer.bytes) * lengthening,
                         .last_frame_bytes = framing_.last_frame(transfer.bytes) * lengthening,
                         .bound = bound,
                         .leg = leg,
                         .control_leg = answered < now ? std::max(Duration{}, control - (now - answered)) : control,
                         .rendezvous = rendezvous,
                         .asks = asks,
                         .request_leg = request,
                         .receive_posted = transfer.receive_posted,
                         .confirmed = transfer.protocol == Protocol::Synchronous && sends_end_with_data_,
                         .tell_leg = std::min(control, leg * 0.5),
                         .releases = transfer.protocol == Protocol::Synchronous || transfer.held},
                        now, written);
  }

  /// Kept until another pair of hosts takes its place: ranks mostly talk to a few others, again and again.
  const Way& way(HostId from, HostId to) {
    const std::uint64_t pair = std::uint64_t{from} << 32 | to;
    Way& known = ways_[pair * kGoldenRatio >> (64 - kWayBits)];
    if (known.pair != pair) {
      platform_.route(from, to, known.route);
      known.inside = from == to || platform_.host_of(from) == platform_.host_of(to);
      known.pair = pair;
    }
    return known;
  }
  const platform::Route& route(HostId from, HostId to) { return way(from, to).route; }

  [[nodiscard]] Bandwidth rate_bound(const platform::Route& route, const Regime& regime) const {
    const Bandwidth bound = route.bandwidth * regime.bandwidth_factor;
    if (tcp_window_bytes_ == 0 || route.latency.s == 0) return bound;
    return std::min(bound, Bandwidth{tcp_window_bytes_ / (2 * route.latency.s)});
  }

  static constexpr int kWayBits = 10;
  static constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  ///< spreads numbers (Knuth, TAOCP 3, section 6.4)

  platform::Platform platform_;
  Regimes network_, memory_;
  double tcp_window_bytes_;
  Framing framing_;
  SharedProcessors processors_;
  Noises noise_;
  Duration first_message_;
  std::vector<double> seconds_per_byte_;   ///< of links that store and forward; empty: none does
  std::unordered_set<std::uint64_t> met_;  ///< pairs of ranks
  bool sends_end_with_data_;               ///< of a Synchronous message: no part of it is in a buffer then
  bool answers_in_calls_;
  FlowEngine flows_;
  std::optional<Connections> connections_;             ///< none: messages of a pair are independent flows
  std::vector<Way> ways_{std::size_t{1} << kWayBits};  ///< by the hash of their hosts
};

}  // namespace

std::unique_ptr<NetworkModel> make_hybrid(platform::Platform platform, HybridParameters parameters) {
  return std::make_unique<Hybrid>(std::move(platform), std::move(parameters));
}

std::unique_ptr<NetworkModel> make_fluid(platform::Platform platform, Framing framing) {
  const Regime plain{.end = std::numeric_limits<std::int64_t>::max()};
  return make_hybrid(std::move(platform), {.network = {plain}, .memory = {plain}, .framing = framing});
}

}  // namespace orrery::network
