// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "transport/layer.hpp"

namespace orrery::transport {

/// The NICs of nodes in front of a transport. A NIC handles one message at a time, in the order in which they come to
/// it, whichever rank of its node and whichever direction they are of.
///
///     sender   │ waits │ send_s │ flow over the network │ waits │ recv_s │ receiver
///                          L and w/B: as without NICs, less recv_s
///
/// Both times are part of the measured latency, so a message that is alone takes as long as without a NIC, and others
/// wait. (Only where L is shorter than recv_s does it take as much longer as L is too short.) Messages inside a node do
/// not come to the NIC, and neither do the RTS and the CTS of a rendezvous: only its data do. Data that are fetched a
/// second time (Optimistic) come to it twice.
class Nics final : public Layer {
 public:
  /// See `behind_nics`.
  Nics(std::unique_ptr<Transport> transport, platform::Platform platform, const settings::Nic& nic);

  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override;
  std::optional<SimTime> next_event() override;
  void advance(SimTime now, std::vector<TransferId>& ended) override;

 private:
  /// A message between its start and its end.
  struct Under {
    std::uint64_t order = 0;  ///< of its start among all
    platform::HostId to = 0;
    bool inside = false;  ///< a node
  };
  /// A message that its receiver has at `time`.
  struct Handed {
    SimTime time;
    std::uint64_t order;
    TransferId id;
    friend auto operator<=>(const Handed&, const Handed&) = default;
  };

  /// When the NIC of a host, which has been given a message now, is done with it.
  SimTime handle(platform::HostId host, SimTime now, Duration time);

  platform::Platform platform_;
  Duration send_, recv_;
  std::vector<SimTime> free_;  ///< by host: when its NIC has handled all messages that it has been given
  std::vector<Under> under_;   ///< by transfer
  std::uint64_t starts_ = 0;
  std::optional<SimTime> next_arrival_;  ///< of the transport, when it was last asked
  std::vector<TransferId> arrived_;
  std::priority_queue<Handed, std::vector<Handed>, std::greater<>> handed_;
};

}  // namespace orrery::transport
