// SPDX-License-Identifier: BSD-3-Clause
#include "transport/brokered.hpp"

#include <algorithm>
#include <utility>

namespace orrery::transport {

using platform::HostId;

Brokered::Brokered(std::unique_ptr<Transport> transport, platform::Platform platform)
    : Layer(std::move(transport)), platform_(std::move(platform)), broker_(platform_.broker().value()) {}

Duration Brokered::connect(const Posted& message, SimTime now) {
  if (within_cluster(message.from, message.to)) return {};
  Waiting& pending = waiting(message.id);
  pending = {.connection = connection_of(message, now), .connected = true};
  return std::max(Duration{}, pending.connection.ready - now);
}

std::optional<SimTime> Brokered::start(const Transfer& transfer, SimTime now) {
  if (within_cluster(transfer.from, transfer.to)) return below().start(transfer, now);
  Waiting& pending = waiting(transfer.id);
  if (!transfer.fetched && !std::exchange(pending.connected, false))
    pending.connection = connection_of({transfer.id, transfer.from, transfer.to, transfer.from_rank, transfer.to_rank},
                                       transfer.send_posted);
  if (pending.connection.relayed) {
    ++connected_.relayed_messages;
    connected_.relayed += transfer.bytes;
  }
  Transfer later = transfer;
  const Duration wait = std::max(Duration{}, pending.connection.ready - now);
  later.setup += wait;
  connected_.waited += wait;
  // If the connection is there by now, its RTS was as much later.
  if (wait.s == 0) later.rts_delay += std::max(Duration{}, pending.connection.ready - transfer.send_posted);
  return below().start(later, now);
}

bool Brokered::within_cluster(HostId from, HostId to) const {
  return platform_.cluster_of(platform_.host_of(from)) == platform_.cluster_of(platform_.host_of(to));
}

Brokered::Made Brokered::connection_of(const Posted& message, SimTime now) {
  if (!broker_.keeps_connections) return make(message, now);
  const auto [low, high] = std::minmax(message.from_rank, message.to_rank);
  const std::uint64_t pair = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
  const auto [found, first] = connections_.try_emplace(pair);
  if (first) found->second = make(message, now);
  return found->second;
}

Brokered::Made Brokered::make(const Posted& message, SimTime now) {
  const auto connection = platform_.connection(platform_.host_of(message.from), platform_.host_of(message.to)).value();
  ++connected_.by_technique[static_cast<std::size_t>(connection.technique)];
  const SimTime answered = answers_.serve(now + connection.asks, {broker_.answer_s});
  return {.ready = answered + connection.then, .relayed = connection.relay.has_value()};
}

Brokered::Waiting& Brokered::waiting(TransferId id) {
  if (id >= waiting_.size()) waiting_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * waiting_.size()));
  return waiting_[id];
}

std::unique_ptr<Transport> brokered(std::unique_ptr<Transport> transport, platform::Platform platform) {
  return std::make_unique<Brokered>(std::move(transport), std::move(platform));
}

}  // namespace orrery::transport
