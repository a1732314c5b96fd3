// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "network/framing.hpp"
#include "platform/platform.hpp"

/// What a message costs. Three models answer the same few questions: `hybrid`, `loggps`, `fluid`.
///
/// Time is charged as in the paper: an Asynchronous message posted at t_s is there at t_s + T2 and its receive ends at
/// max(t_s + T2, t_r) + T3, while the sender goes on at t_s + T1 (T1 and T2 overlap, as a ping-pong measures them).
///
/// The kernel asks `cost` when a send is posted, tells `start` when the transfer may begin (by the protocol of
/// the message's regime), and then alternates between `next_event` and `advance`, which hands over the transfers that
/// ended.
namespace orrery::network {

/// When a transfer may begin and when the sender goes on (papers/smpi-hybrid-network-model.txt, section 4.1).
enum class Protocol : std::uint8_t {
  Asynchronous,  ///< eager: starts at once; the sender goes on after its overhead
  Detached,      ///< starts when the receive is posted too; the sender goes on after its overhead
  Synchronous,   ///< rendezvous: starts when both are ready; the sender is released when it ends
  /// Starts at once; where no receive is posted when it comes, its data are dropped and fetched once one is; the sender
  /// is released when they are there (papers/open-mpi-vs-cray-mpi.txt, section 4: the long protocol of CM).
  Optimistic,
};

/// One size range [start of the previous, end) of the hybrid model. Overheads in seconds and seconds per byte;
/// the factors scale the route's latency and bandwidth, and `latency_s` is the same on any route.
struct Regime {
  std::int64_t end = 0;  ///< first size in bytes that no longer belongs to it; the last regime has INT64_MAX
  Protocol protocol = Protocol::Asynchronous;
  double send_overhead_s = 0, send_overhead_s_per_byte = 0;  ///< o_s, O_s
  double recv_overhead_s = 0, recv_overhead_s_per_byte = 0;  ///< o_r, O_r
  double latency_factor = 1;    ///< L = latency_factor × route latency + latency_s, or 0 if that is negative
  double bandwidth_factor = 1;  ///< B = bandwidth_factor × route bandwidth
  double latency_s = 0;

  [[nodiscard]] Duration latency(Duration of_route) const {
    return {std::max(0.0, latency_factor * of_route.s + latency_s)};
  }
};

/// Processors that all nodes' ranks take turns on (kernel/sharing.cpp).
struct SharedProcessors {
  std::uint32_t count = 0;  ///< 0: every rank has its own
  double send_work_s = 0;   ///< of a processor, for each message sent between nodes
  double recv_work_s = 0;   ///< and for each one received
  double wake_work_s = 0;   ///< besides, when its receiver slept
  double idle_wake_s = 0;   ///< part of the latency: passes only where the receiver sleeps and a processor is idle
  double frame_work_s = 0;  ///< for each frame of a message but its first, while it is on its way
  double slice_s = 0.1;     ///< how long a rank computes before it gives way to those that wait
};

/// What no two runs have alike: delays drawn from exponential distributions, the same for the same seed.
struct Noise {
  double handling_s = 0;     ///< spread of the time that handling a message takes; the overheads are its mean
  double rate_fraction = 0;  ///< mean lengthening of a transfer, relative
  std::uint64_t seed = 0;
};

/// Time-outs of messages that lose packets in crowded switches (network/timeouts.hpp).
struct TimeoutParameters {
  double wait_s = 0;        ///< how long such a message waits; 0: there are none
  std::uint32_t flows = 0;  ///< that a port of a switch carries without loss
  double probability = 0;   ///< that a message waits that begins when there are so many others
};

/// Parameters of `hybrid`. `network` between nodes, `memory` inside one. What follows them is absent unless measured,
/// and holds between nodes (docs/design/network.md says what each explains).
struct HybridParameters {
  std::vector<Regime> network;
  std::vector<Regime> memory;
  double tcp_window_bytes = 0;        ///< 0: no bound; otherwise a flow's rate is at most window / (2 × route latency)
  Framing framing = {};               ///< what messages are on the wire; bandwidths of links are then those of the wire
  double burst_bytes = 0;             ///< what a link lets pass at once after idleness (network/token_buckets.hpp)
  bool grants_wait_for_data = false;  ///< messages from one node to another follow each other (network/connections.hpp)
  /// The request of a rendezvous, and its grant, stand behind small messages that their node wrote before; needs
  /// `grants_wait_for_data`.
  bool requests_follow_messages = false;
  double send_buffer_bytes = 0;  ///< of a connection: a sender goes on when what is left of its message fits there;
                                 ///< 0: when it is confirmed; needs `grants_wait_for_data`
  double queue_bytes = 0;        ///< of a flow, in front of its node's link; needs `grants_wait_for_data`
  /// Of the first `queue_bytes` of messages that a node writes one after the other: the rate that each gets of that of
  /// the one before it; 1: equal ones.
  double later_share = 1;
  double ack_fraction = 0;  ///< load of acknowledgements on the way back, per byte; needs `grants_wait_for_data`
  SharedProcessors processors = {};
  Noise noise = {};
  TimeoutParameters timeouts = {};  ///< drawn from the seed of the noise
  double first_message_s = 0;       ///< what the first message between two ranks takes more: their connection is made
};

/// Parameters of `loggps` (papers/smpi-hybrid-network-model.txt, figure 1), the same between all hosts; inside a node
/// the memory set applies.
struct LogGPSParameters {
  struct Set {
    double latency_s = 0;                 ///< L
    double overhead_s = 0;                ///< o
    double send_overhead_s_per_byte = 0;  ///< O_s
    double recv_overhead_s_per_byte = 0;  ///< O_r
    double gap_s_per_byte_short = 0;      ///< g: per byte below s
    double gap_s_per_byte = 0;            ///< G: per byte from s on
    std::int64_t short_limit = 0;         ///< s
    std::int64_t sync_threshold = 0;      ///< S: longer messages use rendezvous
  };
  Set network, memory;
};

/// What the sender and the receiver pay, and when the transfer may begin.
struct Cost {
  Protocol protocol = Protocol::Asynchronous;
  Duration send_overhead;  ///< T1: the sender is busy from the time it posts
  Duration recv_overhead;  ///< T3: the receiver is busy from the time the data is there
  Duration latency;        ///< from the post of the send until its envelope can be seen by the receiver: what a
                           ///< probe or a wildcard receive waits for (hybrid, fluid: L; loggps: o + L)
};

using TransferId = std::uint32_t;  ///< chosen by the kernel: dense, reused

/// A message's data on its way. What the kernel knows when it starts.
struct Transfer {
  TransferId id = 0;
  platform::HostId from = 0, to = 0;  ///< or places of nodes, see platform::Platform
  Bytes bytes;
  Protocol protocol = Protocol::Asynchronous;
  SimTime send_posted;     ///< t_s
  SimTime receive_posted;  ///< t_r; for Asynchronous, where it may not be known, equal to t_s. With answers_in_calls:
                           ///< when the receiver sees the request
  std::int32_t from_rank = 0, to_rank = 0;
  Duration request_delay = {};  ///< as NetworkModel::request_delay gave it
  bool fetched = false;         ///< of Optimistic: the second time, asked for by the receiver
  bool held = false;            ///< of Asynchronous: its sender waits for room
};

class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  /// Asked once per message. No allocation in steady state.
  [[nodiscard]] virtual Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) = 0;

  /// How much later than `cost` says the request of a rendezvous arrives that is written at `now`, because of what
  /// stands before it.
  [[nodiscard]] virtual Duration request_delay(platform::HostId /*from*/, platform::HostId /*to*/, SimTime /*now*/) {
    return {};
  }

  /// Whether an eager message that is written at `now` finds room where it leaves from. If not its sender, `held` in
  /// the transfer, waits until `take_released` tells it.
  [[nodiscard]] virtual bool has_room(platform::HostId /*from*/, platform::HostId /*to*/, Bytes /*bytes*/,
                                      SimTime /*now*/) {
    return true;
  }

  /// The transfer may begin at `now` (Asynchronous: t_s; otherwise max(t_s, t_r), or later where a receive of any
  /// source had to wait for the envelope), which never decreases from call to call. Its end, when the data is there, is
  /// reported by `advance`. Gives the time at which a Synchronous sender goes on, where that is not the end of the
  /// transfer (loggps: it may push the last byte and leave).
  virtual std::optional<SimTime> start(const Transfer& transfer, SimTime now) = 0;

  /// When something happens next in the network (a transfer ends or enters its bandwidth phase), if nothing new starts.
  /// Solves for all that started or ended since the last call together, so the kernel asks once per instant.
  [[nodiscard]] virtual std::optional<SimTime> next_event() = 0;

  /// Goes to `now` = the time that `next_event` gave; appends the transfers that end there, in the order in which they
  /// were started. Several transfers that end at one instant are handed over together.
  virtual void advance(SimTime now, std::vector<TransferId>& ended) = 0;

  /// Appends the transfers whose senders go on before the data is there, since it was asked last.
  virtual void take_released(std::vector<TransferId>& /*released*/) {}

  enum class Side : std::uint8_t {
    Send,
    Receive,  ///< of a rank that was awake
    Woken,    ///< of one that slept until the message came
  };
  struct Handling {
    Duration work;   ///< of a processor, where ranks share them
    Duration alone;  ///< of the rank's time while nobody else wants a processor
  };
  /// What it takes to handle a message whose overhead is known. There may be noise in it.
  virtual Handling handle(Side /*side*/, Duration overhead) { return {overhead, overhead}; }
  /// Whether `handle` draws, so that the order of its calls matters.
  [[nodiscard]] virtual bool handling_varies() const { return false; }
  /// What frames of a message between nodes take of shared processors besides, whoever has a turn there.
  [[nodiscard]] virtual Duration frame_work(Bytes /*bytes*/) const { return {}; }
  /// What time-outs cost so far.
  struct Stalled {
    std::uint64_t messages = 0;
    Duration time;  ///< sum over them
  };
  [[nodiscard]] virtual Stalled stalled() const { return {}; }
  /// Whether ranks see a request for their data, or the grant of one, only while they are in a call that waits or
  /// tests.
  [[nodiscard]] virtual bool answers_in_calls() const { return false; }
  /// What ranks take turns on. Count 0: each has a processor of its own.
  [[nodiscard]] virtual SharedProcessors processors() const { return {}; }
};

[[nodiscard]] std::unique_ptr<NetworkModel> make_hybrid(platform::Platform platform, HybridParameters parameters);
[[nodiscard]] std::unique_ptr<NetworkModel> make_loggps(platform::Platform platform, LogGPSParameters parameters);
/// Latency and bandwidth only, with contention; every message is eager and costs no overhead.
/// @param framing where the bandwidths of links are those of the wire
[[nodiscard]] std::unique_ptr<NetworkModel> make_fluid(platform::Platform platform, Framing framing = {});

}  // namespace orrery::network
