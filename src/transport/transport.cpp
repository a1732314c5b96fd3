// SPDX-License-Identifier: BSD-3-Clause
#include "transport/transport.hpp"

#include <algorithm>
#include <utility>

#include "transport/connection_setup.hpp"
#include "transport/connections.hpp"
#include "transport/handshake.hpp"
#include "transport/retransmission.hpp"

namespace orrery::transport {
namespace {

using platform::HostId;

/// Hands every call on to the model.
class Plain final : public Transport {
 public:
  explicit Plain(std::unique_ptr<network::NetworkModel> model) : model_(std::move(model)) {}

  Cost cost(HostId from, HostId to, Bytes bytes) override { return model_->cost(from, to, bytes); }
  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override { return model_->start(transfer, now); }
  std::optional<SimTime> next_event() override { return model_->next_event(); }
  void advance(SimTime now, std::vector<TransferId>& ended) override { model_->advance(now, ended); }
  bool record(sharing::LinkLoad& load) override { return model_->record(load); }

 private:
  std::unique_ptr<network::NetworkModel> model_;
};

/// TCP between nodes, as far as it is set: connection setup, time-outs, connections.
class Tcp final : public Transport {
 public:
  Tcp(std::unique_ptr<network::Hybrid> model, const settings::Transport& settings, Duration idle_wake,
      std::uint64_t seed)
      : model_(std::move(model)), setup_({settings.connection_setup_s}), idle_wake_(idle_wake) {
    settings::check(settings, "transport");
    if (settings.timeouts) timeouts_.emplace(model_->platform(), *settings.timeouts, seed, model_->flows());
    if (settings.connections)
      connections_.emplace(model_->platform(), model_->framing(), model_->flows(), *settings.connections);
  }

  Cost cost(HostId from, HostId to, Bytes bytes) override {
    Cost cost = model_->cost(from, to, bytes);
    if (!connections_ || model_->path(from, to, bytes).inside) return cost;
    if (network::starts_at_once(cost.protocol))
      cost.latency = without_waking(cost.latency);
    else
      cost.latency = without_waking(handshake(from, to, cost.latency).rts);
    return cost;
  }

  Duration rts_delay(HostId from, HostId to, SimTime now) override {
    if (!connections_) return {};
    const network::Hybrid::Path path = model_->path(from, to, {0});
    return path.inside ? Duration{} : connections_->rts_delay(host(from), host(to), path.route->bandwidth, now);
  }

  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override {
    const bool inside = model_->path(transfer.from, transfer.to, transfer.bytes).inside;
    Transfer set_up = transfer;
    if (!inside) set_up.setup += setup_.of(transfer.from_rank, transfer.to_rank);
    if (!connections_) return model_->start(set_up, now);
    inside ? start_inside(set_up, now) : connect(set_up, now);
    return std::nullopt;
  }

  std::optional<SimTime> next_event() override {
    return connections_ ? connections_->next_event() : model_->next_event();
  }
  void advance(SimTime now, std::vector<TransferId>& ended) override {
    connections_ ? connections_->advance(now, ended) : model_->advance(now, ended);
  }
  void take_released(std::vector<TransferId>& released) override {
    if (connections_) connections_->take_released(released);
  }
  bool record(sharing::LinkLoad& load) override { return model_->record(load); }
  [[nodiscard]] double frames(Bytes bytes) const override { return model_->framing().frames(bytes); }
  [[nodiscard]] Stalled stalled() const override { return timeouts_ ? timeouts_->stalled() : Stalled{}; }

 private:
  [[nodiscard]] HostId host(HostId place) const { return model_->platform().host_of(place); }

  /// A latency without the time to wake a receiver that sleeps while a processor is idle: the node adds that itself
  /// (node/processors.hpp).
  [[nodiscard]] Duration without_waking(Duration latency) const { return std::max(Duration{}, latency - idle_wake_); }

  [[nodiscard]] Handshake handshake(HostId from, HostId to, Duration latency) {
    const Cost empty = model_->cost(from, to, {0});
    return Handshake::of(latency, empty.latency + empty.recv_overhead, idle_wake_);
  }

  void start_inside(const Transfer& transfer, SimTime now) {
    const network::Hybrid::Path path = model_->path(transfer.from, transfer.to, transfer.bytes);
    const Duration latency = network::Hybrid::remaining_latency(path.latency, transfer, now);
    connections_->start_inside(transfer.id, now, latency, path.bytes, path.route->links, path.bound);
  }

  void connect(const Transfer& transfer, SimTime now) {
    const bool rendezvous = !network::starts_at_once(transfer.protocol);
    const Duration empty = model_->cost(transfer.from, transfer.to, {0}).latency;
    network::Hybrid::Path path = model_->path(transfer.from, transfer.to, transfer.bytes);
    const Duration latency = path.latency + transfer.setup + (transfer.fetched ? empty : Duration{});
    const double lengthening = model_->lengthening();
    Message message{
        .from = host(transfer.from),
        .to = host(transfer.to),
        .bytes = path.bytes * lengthening,
        .last_frame_bytes = model_->framing().last_frame(transfer.bytes) * lengthening,
        .bound = path.bound,
        .rendezvous = rendezvous,
        .receive_posted = transfer.receive_posted,
    };
    if (!rendezvous) {
      message.latency.data = without_waking(latency);
      return connections_->start(transfer.id, message, now, transfer.send_posted);
    }
    message.latency = handshake(transfer.from, transfer.to, latency);
    message.acknowledged = transfer.protocol == network::Protocol::Synchronous;
    // If the send is posted now, its RTS is written now. Otherwise the RTS was written before; its receiver writes the
    // CTS when it has the RTS and has posted the receive. If that was before now, the CTS has been on its way since
    // then.
    message.sends_rts = transfer.send_posted >= now;
    const SimTime answered =
        std::max(transfer.receive_posted, transfer.send_posted + message.latency.rts + transfer.rts_delay);
    if (answered < now) message.latency.cts = std::max(Duration{}, message.latency.cts - (now - answered));
    connections_->start(transfer.id, message, now, message.sends_rts ? transfer.send_posted : std::max(now, answered));
  }

  std::unique_ptr<network::Hybrid> model_;
  ConnectionSetup setup_;
  Duration idle_wake_;
  std::optional<Retransmission> timeouts_;
  std::optional<Connections> connections_;  ///< none: messages of a pair are independent flows
};

}  // namespace

std::unique_ptr<Transport> make_transport(std::unique_ptr<network::NetworkModel> model) {
  return std::make_unique<Plain>(std::move(model));
}

std::unique_ptr<Transport> make_transport(std::unique_ptr<network::Hybrid> model, const settings::Transport& settings,
                                          Duration idle_wake, std::uint64_t seed) {
  return std::make_unique<Tcp>(std::move(model), settings, idle_wake, seed);
}

}  // namespace orrery::transport
