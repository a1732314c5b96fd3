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

/// Network models: what a message costs. Three models have one interface: `hybrid`, `loggps`, `fluid`.
///
/// Times of an Asynchronous message as in the paper, with the send posted at t_s and the receive at t_r: the sender
/// goes on at t_s + T1, the data arrives at t_s + T2, and the receive ends at max(t_s + T2, t_r) + T3. T1 and T2 both
/// begin at t_s, because a ping-pong measures them so.
///
/// The caller asks `cost` when a send is posted, and calls `start` when the transfer may begin, which depends on the
/// protocol. It then alternates between `next_event` and `advance`, which gives the transfers that ended. Connections,
/// queues and time-outs are a layer on top: transport/transport.hpp.
namespace orrery::network {

/// When a transfer may begin and when the sender goes on (Bédaride and others 2013, section 4.1;
/// Optimistic: Graham, Bosilca, Pješivac-Grbović, section 4).
using settings::Protocol;
using sharing::TransferId;

/// Whether the data of a message leaves when the send is posted; if not, it leaves when the receive is posted, too.
[[nodiscard]] constexpr bool starts_at_once(Protocol protocol) {
  return protocol == Protocol::Asynchronous || protocol == Protocol::Optimistic;
}

/// Overheads, latency and protocol of a message.
struct Cost {
  Protocol protocol = Protocol::Asynchronous;
  Duration send_overhead;  ///< T1: the sender is busy so long from when it posts the send
  Duration recv_overhead;  ///< T3: the receiver is busy so long from when it has the data
  Duration latency;        ///< from the post of the send until the envelope reaches the receiver, where a probe or a
                           ///< receive from any source can see it (hybrid, fluid: L; loggps: o + L)
};

/// The transfer of the data of a message, as it is known at its start.
struct Transfer {
  TransferId id = 0;
  platform::HostId from = 0, to = 0;  ///< hosts, or places on them: see platform::Platform
  Bytes bytes;
  Protocol protocol = Protocol::Asynchronous;
  SimTime send_posted;     ///< t_s
  SimTime receive_posted;  ///< t_r; t_s for an Asynchronous message, whose receive may not be posted yet
  std::int32_t from_rank = 0, to_rank = 0;
  Duration rts_delay = {};  ///< the RTS of a rendezvous arrived so much later than `cost` said
  Duration setup = {};      ///< added to the latency: time to set the connection up, and waits at NICs
  bool fetched = false;  ///< Optimistic only: second transfer, which the receiver requested after it dropped the first
};

class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  /// Cost of a message; called once for each. No allocation in steady state.
  [[nodiscard]] virtual Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) = 0;

  /// Starts a transfer. `advance` gives it when it ends, which is when the receiver has the data.
  /// @param now Asynchronous: t_s; otherwise max(t_s, t_r), or later if a receive from any source had to wait for the
  ///   envelope. Never decreases from call to call
  /// @return when a Synchronous sender goes on, if that is not the end of the transfer (loggps: when it has sent the
  ///   last byte)
  virtual std::optional<SimTime> start(const Transfer& transfer, SimTime now) = 0;

  /// Time of the next event (a transfer ends, or its latency is over and it becomes a flow), if no other transfer
  /// starts before. Computes the rates after all starts and ends since the last call, so the caller asks once per
  /// instant.
  [[nodiscard]] virtual std::optional<SimTime> next_event() = 0;

  /// Advances to `now`, the time that `next_event` gave, and appends the transfers that end then, in the order of their
  /// starts. Transfers that end at one instant are given by one call.
  virtual void advance(SimTime now, std::vector<TransferId>& ended) = 0;

  /// Records in `load`, which must outlive the model, the bytes on the wire that links carry from now on. Times stay
  /// the same to the last bit. No transfer may be under way. False: the model has no links.
  virtual bool record(sharing::LinkLoad& /*load*/) { return false; }
};

/// The model `hybrid` (network/hybrid.hpp).
/// @param seed of the random numbers of `rate_noise`   @param accuracy with which links are shared
/// @throws InputError if the ends of regimes do not increase, or a value is out of the range of its key
[[nodiscard]] std::unique_ptr<NetworkModel> make_hybrid(platform::Platform platform, const settings::Network& settings,
                                                        std::uint64_t seed = 0, const sharing::Accuracy& accuracy = {});
/// The model `loggps`: each node has one port in each direction, and the latency between all nodes is the same. No
/// topology, no contention on links (Bédaride and others 2013, figure 1).
[[nodiscard]] std::unique_ptr<NetworkModel> make_loggps(platform::Platform platform, const settings::LogGPS& settings);
/// The model `fluid`: latency, bandwidth and contention only; messages have neither overheads nor factors.
/// @param settings those of `hybrid`, of which two act: the protocol of a message by its size, and its bytes on the
///   wire. Without regimes every message is eager
[[nodiscard]] std::unique_ptr<NetworkModel> make_fluid(platform::Platform platform,
                                                       const settings::Network& settings = {},
                                                       const sharing::Accuracy& accuracy = {});

}  // namespace orrery::network
