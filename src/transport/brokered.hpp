// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "transport/desk.hpp"
#include "transport/layer.hpp"

namespace orrery::transport {

/// Connections between ranks of different clusters, on top of a transport. The first message of two ranks makes theirs:
///
///     its node asks the broker ─▶ the broker answers, one question after the other ─▶ the nodes connect ─▶ it is sent
///
/// What each step takes, and by which technique the nodes connect, the platform says (platform/connection.hpp). A
/// message that is posted meanwhile, in either direction, waits for the same connection; later ones wait for nothing,
/// unless the broker keeps no connections. A rendezvous needs its connection for its RTS: what is over before its
/// receive is posted delays nothing. Relayed messages are no matter of this class: their routes cross the relay.
class Brokered final : public Layer {
 public:
  /// See `brokered`.
  Brokered(std::unique_ptr<Transport> transport, platform::Platform platform);

  Duration connect(const Posted& message, SimTime now) override;
  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override;
  [[nodiscard]] Connected connected() const override { return connected_; }

 private:
  /// A connection between two ranks, or of one message.
  struct Made {
    SimTime ready;
    bool relayed = false;
  };
  /// A message between its post and its start.
  struct Waiting {
    Made connection;
    bool connected = false;
  };

  [[nodiscard]] bool within_cluster(platform::HostId from, platform::HostId to) const;
  [[nodiscard]] Made connection_of(const Posted& message, SimTime now);
  [[nodiscard]] Made make(const Posted& message, SimTime now);
  [[nodiscard]] Waiting& waiting(TransferId id);

  platform::Platform platform_;
  settings::Broker broker_;
  Desk answers_;
  std::unordered_map<std::uint64_t, Made> connections_;  ///< by pair of ranks, the higher one in the upper 32 bits
  std::vector<Waiting> waiting_;                         ///< by transfer
  Connected connected_;
};

}  // namespace orrery::transport
