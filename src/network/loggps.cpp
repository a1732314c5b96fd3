// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "network/network.hpp"
#include "sharing/event_heap.hpp"

namespace orrery::network {
namespace {

using Set = settings::LogGPSSet;

/// Times of a message of k bytes, in the letters of the source.
struct Terms {
  const Set& set;
  double k;

  [[nodiscard]] bool synchronous() const { return k > static_cast<double>(set.sync_threshold_bytes); }
  [[nodiscard]] double t1() const { return set.overhead_s + k * set.send_overhead_s_per_byte; }
  [[nodiscard]] double t3() const { return set.overhead_s + k * set.recv_overhead_s_per_byte; }
  [[nodiscard]] double t5() const { return 2 * set.overhead_s + set.latency_s; }
  /// T2 − L: how long the message occupies a port.
  [[nodiscard]] double gap() const {
    const auto s = static_cast<double>(set.short_limit_bytes);
    return k < s ? k * set.gap_s_per_byte_short : s * set.gap_s_per_byte_short + (k - s) * set.gap_s_per_byte;
  }
};

/// LogGPS with one port per node and direction.
///
/// T1 = o + k·O_s, T2 = L + gap, T3 = o + k·O_r, T5 = 2o + L. For a send posted at t_s and a receive posted at t_r:
///   k ≤ S: the sender goes on at t_s + T1; the data arrives at t_s + T1 + T2.
///   k > S: the sender sends an RTS and has the CTS at t_c = max(t_s + o + L, t_r) + o + T5;
///          it goes on at t_c + T1; the data arrives at t_c + T1 + T2.
/// The receive ends T3 after the data has arrived. A message occupies a port for its gap, and the next message waits:
/// at the sender before it leaves, at the receiver when its first byte arrives. The sender itself does not wait for its
/// port. A message within a node passes no port.
/// Source: Bédaride and others 2013, figure 1, after Ino, Fujimoto, Hagihara 2001,
/// doi:10.1145/379539.379592.
class LogGPS final : public NetworkModel {
 public:
  LogGPS(platform::Platform platform, const settings::LogGPS& settings)
      : platform_(std::move(platform)),
        settings_(settings),
        send_port_free_s_(platform_.hosts().size()),
        recv_port_free_s_(send_port_free_s_) {
    check(settings_, "loggps");
  }

  Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) override {
    const Terms terms = terms_of(from, to, bytes);
    // The sender of a rendezvous first pays for its RTS only; `start` gives the time at which it has sent the data.
    const double rts = terms.set.overhead_s;
    return {.protocol = terms.synchronous() ? Protocol::Synchronous : Protocol::Asynchronous,
            .send_overhead = {terms.synchronous() ? rts : terms.t1()},
            .recv_overhead = {terms.t3()},
            .latency = {terms.set.overhead_s + terms.set.latency_s}};
  }

  std::optional<SimTime> start(const Transfer& transfer, SimTime /*now*/) override {
    const Terms terms = terms_of(transfer.from, transfer.to, transfer.bytes);
    // A program may ask for a rendezvous of a message up to S (MPI_Ssend). The sender of a longer message need not wait
    // for the rendezvous (MPI_Bsend).
    const bool rendezvous = transfer.protocol != Protocol::Asynchronous;
    const SimTime begins = rendezvous ? cts_at(transfer, terms) : transfer.send_posted;
    const SimTime sent = begins + Duration{terms.t1()};
    move(transfer, sent, terms);
    return transfer.protocol == Protocol::Synchronous ? std::optional(sent) : std::nullopt;
  }

  std::optional<SimTime> next_event() override {
    if (events_.empty()) return std::nullopt;
    return SimTime{events_.first().time_s};
  }

  void advance(SimTime now, std::vector<TransferId>& ended) override {
    while (!events_.empty() && events_.first().time_s <= now.s) {
      const sharing::EventHeap::Event event = events_.first();
      pass(event.transfer, event.time_s);
      if (moving_[event.transfer].stage != Stage::Arrived) continue;
      events_.pop();
      ended.push_back(event.transfer);
    }
  }

 private:
  /// Where a message is at its next event.
  enum class Stage : std::uint8_t {
    SendPort,  ///< the message reaches the port of its sender
    RecvPort,  ///< its first byte reaches the port of its receiver
    End,       ///< its last byte arrives
    Arrived,   ///< no further event
  };

  struct Moving {
    Stage stage = Stage::SendPort;
    platform::HostId from = 0, to = 0;
    double latency_s = 0, gap_s = 0;
  };

  [[nodiscard]] Terms terms_of(platform::HostId from, platform::HostId to, Bytes bytes) const {
    const bool inside = platform_.host_of(from) == platform_.host_of(to);
    return {inside ? settings_.inside_node : settings_.between_nodes, static_cast<double>(bytes.count)};
  }

  /// When the sender of a rendezvous has the CTS.
  static SimTime cts_at(const Transfer& transfer, const Terms& terms) {
    const double rts_arrives_s = transfer.send_posted.s + terms.set.overhead_s + terms.set.latency_s;
    return {std::max(rts_arrives_s, transfer.receive_posted.s) + terms.set.overhead_s + terms.t5()};
  }

  void move(const Transfer& transfer, SimTime sent, const Terms& terms) {
    if (transfer.id >= moving_.size())
      moving_.resize(std::max<std::size_t>(std::size_t{transfer.id} + 1, 2 * moving_.size()));
    const platform::HostId from = platform_.host_of(transfer.from), to = platform_.host_of(transfer.to);
    const bool through_memory = from == to;
    moving_[transfer.id] = {through_memory ? Stage::End : Stage::SendPort, from, to, terms.set.latency_s, terms.gap()};
    const double arrives_s = sent.s + terms.set.latency_s + terms.gap();
    events_.push({through_memory ? arrives_s : sent.s, started_++, transfer.id});
  }

  void pass(TransferId id, double now_s) {
    Moving& message = moving_[id];
    switch (message.stage) {
      case Stage::SendPort:
        message.stage = Stage::RecvPort;
        events_.move(id, occupy(send_port_free_s_[message.from], now_s, message.gap_s) + message.latency_s);
        break;
      case Stage::RecvPort:
        message.stage = Stage::End;
        events_.move(id, occupy(recv_port_free_s_[message.to], now_s, message.gap_s) + message.gap_s);
        break;
      case Stage::End:
      case Stage::Arrived: message.stage = Stage::Arrived; break;
    }
  }

  /// Time at which a message that reaches a port at `now_s` enters it; the port is then occupied for its gap.
  static double occupy(double& free_s, double now_s, double gap_s) {
    const double enters_s = std::max(now_s, free_s);
    free_s = enters_s + gap_s;
    return enters_s;
  }

  platform::Platform platform_;
  settings::LogGPS settings_;
  sharing::EventHeap events_;
  std::vector<Moving> moving_;  ///< by transfer
  std::uint64_t started_ = 0;
  std::vector<double> send_port_free_s_, recv_port_free_s_;  ///< by host
};

}  // namespace

std::unique_ptr<NetworkModel> make_loggps(platform::Platform platform, const settings::LogGPS& settings) {
  return std::make_unique<LogGPS>(std::move(platform), settings);
}

}  // namespace orrery::network
