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
#include "transport/acknowledgements.hpp"
#include "transport/egress_queue.hpp"
#include "transport/fifo.hpp"
#include "transport/message.hpp"
#include "transport/queue_delay.hpp"
#include "transport/switch_queue.hpp"

namespace orrery::transport {

using sharing::EventHeap;

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
/// This class takes each message through its stages. What delays it on its way is elsewhere:
/// - transport/egress_queue.hpp: small messages of a node leave it one after the other;
/// - transport/queue_delay.hpp: a control message, or a small message next to large ones, waits behind up to
///   `depth_bytes` of each flow in front of its bottleneck;
/// - transport/switch_queue.hpp: data is a flow over the links of its route, stored by the switch on the way;
/// - transport/acknowledgements.hpp: acknowledgements of other data take their part of the links.
class Connections {
 public:
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
  using Connection = Fifo<&MessageState::next>;

  [[nodiscard]] Connection& connection(platform::HostId from, platform::HostId to) {
    return connections_[pair(from, to)];
  }
  static std::uint64_t pair(platform::HostId from, platform::HostId to) { return std::uint64_t{from} << 32 | to; }
  void set_timer(SimTime time, TransferId id, Stage stage);
  void happen(TransferId id, SimTime now, std::vector<TransferId>& ended);
  void write(Stage stage, TransferId id, SimTime now);
  void serve(Connection& connection, SimTime now, bool behind_data);
  void send_control(TransferId id, SimTime now, bool behind_data);
  void send_data(TransferId id, SimTime now);
  void take_turn(TransferId id, SimTime now);
  void leave_node(TransferId id, SimTime now);
  void left_node(TransferId id, SimTime now);
  void flow(TransferId id, SimTime now, double bytes, SwitchQueue::Options options);
  void flowed(TransferId id, SimTime now, std::vector<TransferId>& ended);
  [[nodiscard]] double unsent_bytes(platform::HostId from, platform::HostId to, SimTime now) const;
  [[nodiscard]] double unsent_bytes(TransferId id, SimTime now) const;

  const platform::Platform& platform_;
  Traffic traffic_;
  SwitchQueue switch_queue_;
  EgressQueue egress_;
  QueueDelay queues_;
  Acknowledgements acknowledgements_;
  EventHeap timers_;
  std::unordered_map<std::uint64_t, Connection> connections_;  ///< by `pair`
  std::vector<TransferId> released_;
  SwitchQueue::Moved moved_;
  platform::Route route_;
  std::uint64_t timers_set_ = 0;
};

}  // namespace orrery::transport
