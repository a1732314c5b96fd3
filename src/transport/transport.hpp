// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "network/hybrid.hpp"
#include "settings/node.hpp"
#include "settings/transport.hpp"

/// Messages as TCP, NICs and brokers carry them: connections, queues and time-outs, on top of a network model.
///
/// Transport is a layer between the kernel and a network model. Without the tables `[transport]` and `[node.nic]` it
/// hands every call on, and results are those of the model, bit by bit. With one of them the model must be `hybrid`.
/// Connections between clusters, which the table `[broker]` describes, are another layer, on top of any model with
/// routes.
namespace orrery::transport {

using network::Cost;
using network::Transfer;
using sharing::TransferId;

/// Retransmission time-outs so far.
struct Stalled {
  std::uint64_t messages = 0;  ///< that waited for a time-out
  Duration time;               ///< sum of their waits
};

/// Connections between clusters so far (transport/brokered.hpp).
struct Connected {
  std::array<std::uint64_t, 4> by_technique{};  ///< connections, by platform::Technique
  Duration waited;  ///< sum of the times by which messages were later as a connection was made
  std::uint64_t relayed_messages = 0;
  Bytes relayed;
};

/// A message that is posted.
struct Posted {
  TransferId id = 0;
  platform::HostId from = 0, to = 0;  ///< hosts, or places on them
  std::int32_t from_rank = 0, to_rank = 0;
};

/// A network model that also answers questions about connections.
class Transport : public network::NetworkModel {
 public:
  /// How long the RTS of a rendezvous that is written at `now` waits in its connection or in the egress queue of its
  /// node. It arrives so much later than `cost` says.
  [[nodiscard]] virtual Duration rts_delay(platform::HostId /*from*/, platform::HostId /*to*/, SimTime /*now*/) {
    return {};
  }
  /// Makes the connection of a message that is posted at `now`, if there is none yet. Called for sends; the first
  /// `start` of any other message does the same.
  /// @return how much later than `cost` says its envelope arrives
  virtual Duration connect(const Posted& /*message*/, SimTime /*now*/) { return {}; }
  /// Appends the synchronous transfers whose senders have their ACK since the last call. They complete before the
  /// receiver does, which waits for the FIN.
  virtual void take_released(std::vector<TransferId>& /*released*/) {}
  /// Number of frames of a message between nodes, 1 at least.
  [[nodiscard]] virtual double frames(Bytes /*bytes*/) const { return 1; }
  [[nodiscard]] virtual Stalled stalled() const { return {}; }
  [[nodiscard]] virtual Connected connected() const { return {}; }
};

/// The model alone.
[[nodiscard]] std::unique_ptr<Transport> make_transport(std::unique_ptr<network::NetworkModel> model);
/// @param idle_wake part of the measured latency between nodes that the room `node` adds where a receiver sleeps
///   (settings::Processors::idle_wake_s); it is taken out of the latency here
/// @param seed of the random numbers that decide about time-outs
/// @throws InputError for a value that its table does not allow
[[nodiscard]] std::unique_ptr<Transport> make_transport(std::unique_ptr<network::Hybrid> model,
                                                        const settings::Transport& settings, Duration idle_wake = {},
                                                        std::uint64_t seed = 0);
/// The transport behind NICs that handle one message at a time (transport/nic.hpp).
/// @param platform that of the transport
/// @throws InputError for a value that the table does not allow
[[nodiscard]] std::unique_ptr<Transport> behind_nics(std::unique_ptr<Transport> transport, platform::Platform platform,
                                                     const settings::Nic& nic);
/// The transport with connections between clusters that the broker of the platform makes (transport/brokered.hpp).
/// @param platform that of the transport, with a broker
[[nodiscard]] std::unique_ptr<Transport> brokered(std::unique_ptr<Transport> transport, platform::Platform platform);

}  // namespace orrery::transport
