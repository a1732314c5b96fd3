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
#include "transport/passages.hpp"

namespace orrery::transport {

using sharing::EventHeap;
using sharing::TransferId;

/// Messages between nodes on TCP connections, one for each ordered pair of nodes.
///
/// A connection is first in, first out: a message waits until those before it have been sent, and so does the CTS of a
/// rendezvous, which the receiver writes on the connection that carries its own data the other way. Two ranks that
/// exchange large messages therefore run at full duplex if both CTS are written before any data, and one direction
/// after the other if not. The times of the calls decide which.
///
///     eager          data ─────────────────────▶ arrives, one leg after its last byte was sent
///     rendezvous     RTS ─▶ (receive posted) CTS ─▶ data ──▶ arrives, one leg after its last byte was sent
///     acknowledged   the same, but its receiver answers the last byte by an ACK; the sender completes and sends a FIN,
///                    and the receiver completes when it has that
///
/// RTS, CTS, ACK and FIN are control messages, in the order of their connection like data. One that follows data of its
/// own connection directly has waited in the queues with that data, and does not wait there again.
///
/// While a message is sent it is a flow over the links of its route.
/// - Egress queue: small messages leave their node's link one after the other, in the order in which they were written;
///   longer ones share it. A last frame that is not full is kept back until the others of its message have left
///   (tcp_autocorking of Linux), and goes behind what was written meanwhile.
/// - Queues of others: a control message, and a small message beside large ones, waits behind up to `depth_bytes` of
/// each
///   flow in front of its bottleneck. A small message is a flow as well, and has been sent when both have let it pass.
/// - Acknowledgements: data that a node receives from others adds `ack_fraction` of its bytes to what the node sends.
/// - Send buffer: a synchronous sender goes on when what is left of its message fits into `send_buffer_bytes`; an eager
///   sender waits while its message does not fit.
class Connections {
 public:
  struct Message {
    platform::HostId from = 0, to = 0;
    double bytes = 0;             ///< on the wire
    double last_frame_bytes = 0;  ///< of these, in a last frame that is not full
    Bandwidth bound;
    Handshake legs;             ///< eager: only `data`, one way after its last byte is out
    bool rendezvous = false;    ///< Detached or Synchronous
    bool sends_rts = false;     ///< its RTS is still to be written; else its CTS is
    SimTime receive_posted;     ///< no CTS before
    bool acknowledged = false;  ///< its receiver sends an ACK for the last byte, and its sender a FIN then
    bool holds_sender = false;  ///< until what is left of it fits into the send buffer
  };

  Connections(const platform::Platform& platform, const network::Framing& framing, sharing::FlowEngine& flows,
              const settings::Connections& settings);

  /// Whether connections have send buffers.
  [[nodiscard]] bool buffers() const { return send_buffer_bytes_ > 0; }

  /// @param written when the message is written (eager), or its RTS, or its CTS; not before `now`
  void start(TransferId id, const Message& message, SimTime now, SimTime written);

  /// A message inside a node, which has no connection.
  void start_inside(TransferId id, SimTime now, Duration latency, double bytes, std::span<const platform::LinkId> links,
                    Bandwidth bound);

  /// How long an RTS that is written now will have to wait, if what is before it on its connection goes at `bound`.
  [[nodiscard]] Duration rts_delay(platform::HostId from, platform::HostId to, Bandwidth bound, SimTime now) const;

  /// Whether the buffer of a connection has room for an eager message that is written now; if not, its sender waits.
  [[nodiscard]] bool has_room(platform::HostId from, platform::HostId to, double bytes, SimTime now) const;

  /// When something happens next here or in the flows.
  [[nodiscard]] std::optional<SimTime> next_event();
  void advance(SimTime now, std::vector<TransferId>& ended);
  void take_released(std::vector<TransferId>& released);

 private:
  static constexpr TransferId kNone = UINT32_MAX;

  /// What is to happen to a message next.
  enum class Stage : std::uint8_t {
    Inside,       ///< inside a node: ends with its flow
    SendsRts,     ///< at its time the RTS is written to the connection
    Rts,          ///< the RTS waits for its turn there
    Written,      ///< at its time data (eager) or the CTS is written to the connection
    Cts,          ///< the CTS waits for its turn, on the connection back
    ClearToSend,  ///< at its time the CTS reaches the sender
    Queued,       ///< data waits for its turn on the connection
    Behind,       ///< a small message waits in the egress queue
    Rest,         ///< the last frame of one that has waited there, waits again
    Flowing,      ///< data is sent; a part may be left in the send buffer
    Buffered,     ///< that part, which the sender does not wait for
    Acks,         ///< the time that acknowledgements of others took from it
    Out,          ///< at its time the last byte is there, and its receiver writes the ACK
    Ack,          ///< the ACK waits for its turn, on the connection back
    Acked,        ///< at its time the ACK reaches the sender, which completes and writes the FIN
    Fin,          ///< the FIN waits for its turn
    Arrives,      ///< at its time the receiver has all of it
  };

  struct State : Message {
    Stage stage = Stage::Written;
    TransferId next = kNone;    ///< behind it on the connection where it waits
    TransferId behind = kNone;  ///< behind it among the small messages of its node
    std::uint64_t written = 0;  ///< place among the messages handed to nodes' links
    SimTime passes{};           ///< the queues that it met when it left: not out before
    bool has_waited = false;    ///< for others of its node
    bool meets_acks = false;
    double acks_bytes = 0;
    double unwritten = 0;  ///< bytes that are or were to leave before the rest fits into the sender's buffer
  };

  struct Fifo {
    TransferId first = kNone, last = kNone;
  };

  [[nodiscard]] Fifo& line(platform::HostId from, platform::HostId to) { return lines_[pair(from, to)]; }
  static std::uint64_t pair(platform::HostId from, platform::HostId to) { return std::uint64_t{from} << 32 | to; }
  [[nodiscard]] State& state_of(TransferId id);
  void at(SimTime time, TransferId id, Stage stage);
  void happen(TransferId id, SimTime now, std::vector<TransferId>& ended);
  void append(Fifo& line, TransferId id, SimTime now);
  void serve(Fifo& line, SimTime now, bool behind_data);
  void go_control(TransferId id, SimTime now, bool behind_data);
  [[nodiscard]] static bool is_control(Stage stage) {
    return stage == Stage::Rts || stage == Stage::Cts || stage == Stage::Ack || stage == Stage::Fin;
  }
  void flow(TransferId id, SimTime now, double bytes, Passages::Terms terms);
  void begin_data(TransferId id, SimTime now);
  [[nodiscard]] bool is_small(const State& message) const;
  void wait_again(TransferId id, SimTime now);
  void go_out(TransferId id, SimTime now);
  void leave_node(TransferId id, SimTime now);
  void left_node(TransferId id, SimTime now);
  void flowed(TransferId id, SimTime now, std::vector<TransferId>& ended);
  [[nodiscard]] double unsent_bytes(platform::HostId from, platform::HostId to, SimTime now) const;
  [[nodiscard]] double unsent_bytes(TransferId id, SimTime now) const;
  [[nodiscard]] Duration standing_before(platform::HostId from, SimTime now) const;
  [[nodiscard]] bool meets_acks(const State& message) const;
  [[nodiscard]] static double rest_bytes(const State& message);
  [[nodiscard]] static double standing_bytes(const State& message);
  [[nodiscard]] SimTime passes_queues(const State& message, double bytes, SimTime now) const;
  [[nodiscard]] Duration in_front(platform::HostId from, platform::HostId to, std::uint64_t written, SimTime now) const;
  [[nodiscard]] Duration behind_switch(platform::HostId from, platform::HostId to, SimTime now) const;

  const platform::Platform& platform_;
  Passages passages_;
  double send_buffer_bytes_, queue_bytes_, ack_fraction_;
  double small_bytes_;    ///< messages up to here leave their node one after the other
  double control_bytes_;  ///< of an RTS or a CTS in the egress queue; 0: neither waits there
  EventHeap timers_;
  std::vector<State> messages_;  ///< by transfer
  std::unordered_map<std::uint64_t, Fifo> lines_;
  std::vector<Fifo> small_;                                ///< by host, small messages on their way out
  std::vector<std::vector<TransferId>> leaving_, coming_;  ///< flows by host
  std::vector<TransferId> released_;
  Passages::Moved moved_;
  platform::Route route_;
  std::uint64_t timers_set_ = 0;
  std::uint64_t written_ = 0;  ///< messages handed to their nodes' links so far
};

}  // namespace orrery::transport
