// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "network/framing.hpp"
#include "platform/platform.hpp"
#include "settings/transport.hpp"
#include "sharing/event_heap.hpp"
#include "sharing/flow_engine.hpp"
#include "transport/handshake.hpp"
#include "transport/switch_queue.hpp"

namespace orrery::transport {

using sharing::EventHeap;
using sharing::TransferId;

/// Messages between nodes on TCP connections, one for each ordered pair of nodes.
///
/// A connection is a FIFO. A message waits until the messages before it have been sent. The CTS of a rendezvous waits
/// in the same way: the receiver writes it on the connection that carries the receiver's own data to the sender. So two
/// ranks that exchange large messages run at full duplex if both CTS are written before any data. Otherwise one
/// direction follows the other. The times of the calls decide which of the two happens.
///
///     eager          data ─▶ the receiver completes one latency after the last byte was sent
///     rendezvous     RTS ─▶ (receive posted) CTS ─▶ data ─▶ the receiver completes one latency after the last byte
///     acknowledged   RTS ─▶ (receive posted) CTS ─▶ data ─▶ the receiver sends an ACK; the sender completes when it
///                    has the ACK and sends a FIN; the receiver completes when it has the FIN
///
/// RTS, CTS, ACK and FIN are control messages. They keep the order of their connection, as data does. A control message
/// directly behind data of its own connection has waited in the queues with that data, and does not wait there again.
///
/// While the data of a message is sent, it is a flow over the links of its route.
/// - Egress queue: small messages leave their node one after the other, in the order in which they were written; large
///   messages share the link. Linux holds a last frame that is not full back until the other frames of its message
///   have left (tcp_autocorking); the frame is then last in the egress queue.
/// - Queues of others: a control message, or a small message next to large ones, waits behind up to `depth_bytes` of
///   each flow in front of its bottleneck. A small message is a flow as well; it has been sent when its flow has ended
///   and its wait is over.
/// - Acknowledgements: for data that a node receives from others, its own messages carry `ack_fraction` more bytes.
class Connections {
 public:
  struct Message {
    platform::HostId from = 0, to = 0;
    double bytes = 0;             ///< on the wire
    double last_frame_bytes = 0;  ///< of these, bytes in a last frame that is not full; 0: the last frame is full
    Bandwidth bound;              ///< of the rate
    Handshake latency;            ///< of each control message and of the data; of an eager message only `data` is used
    bool rendezvous = false;      ///< Detached or Synchronous
    bool sends_rts = false;       ///< the sender has not written its RTS yet; if false, the CTS is next
    SimTime receive_posted;       ///< no CTS is written before
    bool acknowledged = false;    ///< the receiver sends an ACK for the last byte, and the sender then a FIN
  };

  Connections(const platform::Platform& platform, const network::Framing& framing, sharing::FlowEngine& flows,
              const settings::Connections& settings);

  /// @param written when the next of the message is written: the message itself (eager), its RTS or its CTS; a time
  ///   before `now` counts as `now`
  void start(TransferId id, const Message& message, SimTime now, SimTime written);

  /// A message inside a node. It uses no connection.
  void start_inside(TransferId id, SimTime now, Duration latency, double bytes, std::span<const platform::LinkId> links,
                    Bandwidth bound);

  /// How long an RTS that is written now will wait, if the data before it on its connection is sent at `bound`.
  [[nodiscard]] Duration rts_delay(platform::HostId from, platform::HostId to, Bandwidth bound, SimTime now) const;

  /// Time of the next event of a connection or a flow.
  [[nodiscard]] std::optional<SimTime> next_event();
  void advance(SimTime now, std::vector<TransferId>& ended);
  /// Appends the messages whose senders have their ACK since the last call.
  void take_released(std::vector<TransferId>& released);

 private:
  static constexpr TransferId kNone = UINT32_MAX;

  /// Where a message is. The stages of a timer say what happens at its time; in the others it waits.
  enum class Stage : std::uint8_t {
    Inside,       ///< inside a node: the message ends with its flow
    SendsRts,     ///< timer: the RTS is written to the connection
    Rts,          ///< the RTS waits in the connection
    Written,      ///< timer: the data (eager) or the CTS is written to its connection
    Cts,          ///< the CTS waits in the connection from receiver to sender
    ClearToSend,  ///< timer: the CTS reaches the sender
    Queued,       ///< the data waits in the connection
    Egress,       ///< a small message waits in the egress queue
    LastFrame,    ///< the last frame of a small message waits in the egress queue, after the rest has left
    Flowing,      ///< the data is sent
    AddedAcks,    ///< the bytes are sent that acknowledgements of other messages add
    Received,     ///< timer: the receiver has the last byte and writes the ACK
    Ack,          ///< the ACK waits in the connection from receiver to sender
    Acked,        ///< timer: the ACK reaches the sender, which completes and writes the FIN
    Fin,          ///< the FIN waits in the connection
    Arrives,      ///< timer: the receiver completes
  };

  struct State : Message {
    Stage stage = Stage::Written;
    TransferId next = kNone;            ///< its successor in the connection where it waits
    TransferId next_in_egress = kNone;  ///< its successor in the egress queue
    std::uint64_t written = 0;          ///< its number among all messages that were written to the links of nodes
    SimTime passes{};                   ///< end of its wait in the queues: it has not been sent before
    bool has_waited = false;            ///< it was not the first in the egress queue
    bool meets_acks = false;            ///< acknowledgements of other messages were on its way when it started
    double acks_bytes = 0;              ///< bytes that these add to it
  };

  struct Fifo {
    TransferId first = kNone, last = kNone;
  };

  [[nodiscard]] Fifo& connection(platform::HostId from, platform::HostId to) { return connections_[pair(from, to)]; }
  static std::uint64_t pair(platform::HostId from, platform::HostId to) { return std::uint64_t{from} << 32 | to; }
  [[nodiscard]] State& state_of(TransferId id);
  void set_timer(SimTime time, TransferId id, Stage stage);
  void happen(TransferId id, SimTime now, std::vector<TransferId>& ended);
  void append(Fifo& connection, TransferId id, SimTime now);
  void serve(Fifo& connection, SimTime now, bool behind_data);
  void go_control(TransferId id, SimTime now, bool behind_data);
  [[nodiscard]] static bool is_control(Stage stage) {
    return stage == Stage::Rts || stage == Stage::Cts || stage == Stage::Ack || stage == Stage::Fin;
  }
  void flow(TransferId id, SimTime now, double bytes, SwitchQueue::Options options);
  void begin_data(TransferId id, SimTime now);
  [[nodiscard]] bool is_small(const State& message) const;
  void hold_last_frame(TransferId id, SimTime now);
  void leave_egress(TransferId id, SimTime now);
  void leave_node(TransferId id, SimTime now);
  void left_node(TransferId id, SimTime now);
  void flowed(TransferId id, SimTime now, std::vector<TransferId>& ended);
  [[nodiscard]] double unsent_bytes(platform::HostId from, platform::HostId to, SimTime now) const;
  [[nodiscard]] double unsent_bytes(TransferId id, SimTime now) const;
  [[nodiscard]] Duration egress_delay(platform::HostId from, SimTime now) const;
  [[nodiscard]] bool meets_acks(const State& message) const;
  [[nodiscard]] static double held_back_bytes(const State& message);
  [[nodiscard]] static double egress_bytes(const State& message);
  [[nodiscard]] SimTime end_of_queues(const State& message, double bytes, SimTime now) const;
  [[nodiscard]] Duration delay_before_switch(platform::HostId from, platform::HostId to, std::uint64_t written,
                                             SimTime now) const;
  [[nodiscard]] Duration delay_behind_switch(platform::HostId from, platform::HostId to, SimTime now) const;

  const platform::Platform& platform_;
  SwitchQueue switch_queue_;
  double queue_bytes_, ack_fraction_;
  double small_bytes_;    ///< messages of at most this size are small: they wait in the egress queue
  double control_bytes_;  ///< of a control message in the egress queue; 0: control messages do not wait there
  EventHeap timers_;
  std::vector<State> messages_;                            ///< by transfer
  std::unordered_map<std::uint64_t, Fifo> connections_;    ///< by `pair`
  std::vector<Fifo> egress_;                               ///< by host: the egress queue, small messages only
  std::vector<std::vector<TransferId>> leaving_, coming_;  ///< by host: messages that it sends, that it receives
  std::vector<TransferId> released_;
  SwitchQueue::Moved moved_;
  platform::Route route_;
  std::uint64_t timers_set_ = 0;
  std::uint64_t written_ = 0;  ///< messages that were written to the links of nodes so far
};

}  // namespace orrery::transport
