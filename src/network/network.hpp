// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "platform/platform.hpp"
#include "settings/network.hpp"
#include "sharing/flow_engine.hpp"

/// What a message costs. Three models answer the same questions: `hybrid`, `loggps`, `fluid`.
///
/// Time is charged as in the paper: an Asynchronous message posted at t_s is there at t_s + T2 and its receive ends at
/// max(t_s + T2, t_r) + T3, while the sender goes on at t_s + T1 (T1 and T2 overlap, as a ping-pong measures them).
///
/// The caller asks `cost` when a send is posted, calls `start` when the transfer may begin (by the protocol of the
/// message's regime), and then alternates between `next_event` and `advance`, which hands over the transfers that
/// ended. What transport adds (connections, queues, time-outs) is a layer on top: transport/transport.hpp.
namespace orrery::network {

/// When a transfer may begin and when the sender goes on (papers/smpi-hybrid-network-model.txt, section 4.1;
/// Optimistic: papers/open-mpi-vs-cray-mpi.txt, section 4).
using settings::Protocol;
using sharing::TransferId;

/// Whether the data of a message leave when the send is posted, rather than when a receive is.
[[nodiscard]] constexpr bool starts_at_once(Protocol protocol) {
  return protocol == Protocol::Asynchronous || protocol == Protocol::Optimistic;
}

/// What the sender and the receiver pay, and when the transfer may begin.
struct Cost {
  Protocol protocol = Protocol::Asynchronous;
  Duration send_overhead;  ///< T1: the sender is busy from the time it posts
  Duration recv_overhead;  ///< T3: the receiver is busy from the time the data is there
  Duration latency;        ///< from the post of the send until its envelope can be seen by the receiver: what a
                           ///< probe or a wildcard receive waits for (hybrid, fluid: L; loggps: o + L)
};

/// A message's data on its way. What is known when it starts.
struct Transfer {
  TransferId id = 0;
  platform::HostId from = 0, to = 0;  ///< or places of nodes, see platform::Platform
  Bytes bytes;
  Protocol protocol = Protocol::Asynchronous;
  SimTime send_posted;     ///< t_s
  SimTime receive_posted;  ///< t_r; for Asynchronous, where it may not be known, equal to t_s
  std::int32_t from_rank = 0, to_rank = 0;
  Duration rts_delay = {};  ///< how much later than `cost` said the RTS of a rendezvous arrived
  Duration setup = {};      ///< more, until the transfer can begin: its connection is made
  bool fetched = false;     ///< of Optimistic: the second time, asked for by the receiver
  bool held = false;        ///< of Asynchronous: its sender waits for room in the send buffer
};

class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  /// Asked once per message. No allocation in steady state.
  [[nodiscard]] virtual Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) = 0;

  /// The transfer may begin at `now` (Asynchronous: t_s; otherwise max(t_s, t_r), or later where a receive of any
  /// source had to wait for the envelope), which never decreases from call to call. Its end, when the data is there, is
  /// reported by `advance`. Gives the time at which a Synchronous sender goes on, where that is not the end of the
  /// transfer (loggps: it may push the last byte and leave).
  virtual std::optional<SimTime> start(const Transfer& transfer, SimTime now) = 0;

  /// When something happens next in the network (a transfer ends or enters its bandwidth phase), if nothing new starts.
  /// Solves for all that started or ended since the last call together, so the caller asks once per instant.
  [[nodiscard]] virtual std::optional<SimTime> next_event() = 0;

  /// Goes to `now` = the time that `next_event` gave; appends the transfers that end there, in the order in which they
  /// were started. Several transfers that end at one instant are handed over together.
  virtual void advance(SimTime now, std::vector<TransferId>& ended) = 0;
};

/// @throws InputError when the sizes of regimes do not rise, or a value is not one that its table allows
/// @param seed of the noise
[[nodiscard]] std::unique_ptr<NetworkModel> make_hybrid(platform::Platform platform, const settings::Network& settings,
                                                        std::uint64_t seed = 0);
/// One port to each node, the same latency between all: no topology, no contention
/// (papers/smpi-hybrid-network-model.txt, figure 1).
[[nodiscard]] std::unique_ptr<NetworkModel> make_loggps(platform::Platform platform, const settings::LogGPS& settings);
/// Latency and bandwidth only, with contention; every message is eager and costs no overhead.
/// @param framing where the bandwidths of links are those of the wire
[[nodiscard]] std::unique_ptr<NetworkModel> make_fluid(platform::Platform platform,
                                                       const settings::Framing& framing = {});

}  // namespace orrery::network
