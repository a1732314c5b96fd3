// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "network/hybrid.hpp"
#include "settings/transport.hpp"

/// Messages as TCP carries them: what connections, queues and time-outs add to what a network model says.
///
/// A layer between the kernel and a network model. Without any settings it hands everything on, and results are those
/// of the model to the last bit. Otherwise the model must be `hybrid`.
namespace orrery::transport {

using network::Cost;
using network::Transfer;
using sharing::TransferId;

/// What time-outs cost so far.
struct Stalled {
  std::uint64_t messages = 0;
  Duration time;  ///< sum over them
};

/// A network model that can be asked more.
class Transport : public network::NetworkModel {
 public:
  /// How much later than `cost` says the RTS of a rendezvous arrives that is written at `now`, because of what stands
  /// before it on its connection or in its node's egress queue.
  [[nodiscard]] virtual Duration rts_delay(platform::HostId /*from*/, platform::HostId /*to*/, SimTime /*now*/) {
    return {};
  }
  /// Whether an eager message that is written at `now` finds room in the send buffer of its connection. If not its
  /// sender, `held` in the transfer, waits until `take_released` tells it.
  [[nodiscard]] virtual bool has_room(platform::HostId /*from*/, platform::HostId /*to*/, Bytes /*bytes*/,
                                      SimTime /*now*/) {
    return true;
  }
  /// Appends the transfers whose senders go on before the data is there, since it was asked last.
  virtual void take_released(std::vector<TransferId>& /*released*/) {}
  /// Frames that a message between nodes is cut into, 1 at least.
  [[nodiscard]] virtual double frames(Bytes /*bytes*/) const { return 1; }
  [[nodiscard]] virtual Stalled stalled() const { return {}; }
};

/// Nothing but the model.
[[nodiscard]] std::unique_ptr<Transport> make_transport(std::unique_ptr<network::NetworkModel> model);
/// @param idle_wake part of the latency between nodes that nodes add themselves (settings::Processors::idle_wake_s)
/// @param seed of the draws of time-outs
/// @throws InputError for a value that its table does not allow
[[nodiscard]] std::unique_ptr<Transport> make_transport(std::unique_ptr<network::Hybrid> model,
                                                        const settings::Transport& settings, Duration idle_wake = {},
                                                        std::uint64_t seed = 0);

}  // namespace orrery::transport
