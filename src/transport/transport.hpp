// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "network/hybrid.hpp"
#include "settings/node.hpp"
#include "settings/transport.hpp"

/// Messages as TCP and NICs carry them: connections, queues and time-outs, on top of a network model.
///
/// Transport is a layer between the kernel and a network model. Without the tables `[transport]` and `[node.nic]` it
/// hands every call on, and results are those of the model, bit by bit. With one of them the model must be `hybrid`.
namespace orrery::transport {

using network::Cost;
using network::Transfer;
using sharing::TransferId;

/// Retransmission time-outs so far.
struct Stalled {
  std::uint64_t messages = 0;  ///< that waited for a time-out
  Duration time;               ///< sum of their waits
};

/// A network model that also answers questions about connections.
class Transport : public network::NetworkModel {
 public:
  /// How long the RTS of a rendezvous that is written at `now` waits in its connection or in the egress queue of its
  /// node. It arrives so much later than `cost` says.
  [[nodiscard]] virtual Duration rts_delay(platform::HostId /*from*/, platform::HostId /*to*/, SimTime /*now*/) {
    return {};
  }
  /// Appends the synchronous transfers whose senders have their ACK since the last call. They complete before the
  /// receiver does, which waits for the FIN.
  virtual void take_released(std::vector<TransferId>& /*released*/) {}
  /// Number of frames of a message between nodes, 1 at least.
  [[nodiscard]] virtual double frames(Bytes /*bytes*/) const { return 1; }
  [[nodiscard]] virtual Stalled stalled() const { return {}; }
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

}  // namespace orrery::transport
