// SPDX-License-Identifier: BSD-3-Clause
#include "transport/connections.hpp"

#include <algorithm>
#include <utility>

namespace orrery::transport {

using platform::HostId;

namespace {

/// Frames that a connection has in the egress queue of its node at once: two buffers of at least two frames each
/// (Linux: tcp_min_tso_segs, "TCP small queues"). Messages of at most so many frames leave in the order in which they
/// were written; larger messages take turns.
constexpr double frames_queued = 4;

double depth(const settings::Connections& settings) {
  return settings.queue ? static_cast<double>(settings.queue->depth_bytes) : 0;
}

/// Size up to which a message is small: one frame at least, as a frame is never divided, however short the queue is.
double small_bytes(const settings::Connections& settings, double frame) {
  return frame > 0 ? std::max(frame, std::min(frames_queued * frame, depth(settings))) : depth(settings);
}

/// Whether the receiver of the data sends it.
bool goes_back(Stage stage) { return stage == Stage::Cts || stage == Stage::Ack; }

}  // namespace

Connections::Connections(const platform::Platform& platform, const network::Framing& framing,
                         sharing::FlowEngine& flows, const settings::Connections& settings)
    : platform_(platform),
      traffic_(platform.hosts().size()),
      switch_queue_(platform, flows, depth(settings), settings.queue ? settings.queue->later_share : 1),
      egress_(traffic_, platform.hosts().size(), small_bytes(settings, framing.full_frame())),
      queues_(traffic_, switch_queue_, depth(settings)),
      acknowledgements_(traffic_, settings.ack_fraction) {}

void Connections::start(TransferId id, const Message& message, SimTime now, SimTime written) {
  traffic_.add(id) = MessageState{message};
  set_timer(std::max(now, written), id, message.sends_rts ? Stage::SendsRts : Stage::Written);
}

void Connections::start_inside(TransferId id, SimTime now, Duration latency, double bytes,
                               std::span<const platform::LinkId> links, Bandwidth bound) {
  traffic_.add(id).stage = Stage::Inside;
  switch_queue_.start(id, now + latency, bytes, links, bound, {});
}

std::optional<SimTime> Connections::next_event() {
  const std::optional<SimTime> next = switch_queue_.next_event();
  if (timers_.empty()) return next;
  const SimTime timer{timers_.first().time_s};
  return next ? std::min(*next, timer) : timer;
}

void Connections::advance(SimTime now, std::vector<TransferId>& ended) {
  switch_queue_.advance(now, moved_);
  for (const TransferId id : moved_.stopped) take_turn(egress_.put_last_frame_behind(id), now);
  for (const TransferId id : moved_.left_node) left_node(id, now);
  for (const TransferId id : moved_.arrived) flowed(id, now, ended);
  while (!timers_.empty() && timers_.first().time_s <= now.s) {
    const TransferId id = timers_.first().transfer;
    timers_.pop();
    happen(id, now, ended);
  }
}

void Connections::take_released(std::vector<TransferId>& released) {
  released.insert(released.end(), released_.begin(), released_.end());
  released_.clear();
}

void Connections::set_timer(SimTime time, TransferId id, Stage stage) {
  traffic_[id].stage = stage;
  timers_.push({time.s, timers_set_++, id});
}

/// The timer of a message has run out.
void Connections::happen(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  const MessageState& message = traffic_[id];
  switch (message.stage) {
    case Stage::SendsRts: return write(Stage::Rts, id, now);
    case Stage::Written: return write(message.rendezvous ? Stage::Cts : Stage::Queued, id, now);
    case Stage::ClearToSend: return write(Stage::Queued, id, now);
    case Stage::Received: return write(Stage::Ack, id, now);
    case Stage::Acked: released_.push_back(id); return write(Stage::Fin, id, now);
    case Stage::Arrives: return ended.push_back(id);
    default: return;  // in the other stages the message waits in a FIFO or for its flow
  }
}

/// Writes a control message, or the data, to its connection.
void Connections::write(Stage stage, TransferId id, SimTime now) {
  MessageState& message = traffic_[id];
  message.stage = stage;
  Connection& fifo = goes_back(stage) ? connection(message.to, message.from) : connection(message.from, message.to);
  const bool is_first = fifo.empty();
  fifo.push(traffic_, id);
  if (is_first) serve(fifo, now, false);
}

/// Sends what is first in a connection: all control messages up to the next data, and that data as a flow. The others
/// wait until the flow ends.
/// @param behind_data whether data of this connection has just been sent
void Connections::serve(Connection& connection, SimTime now, bool behind_data) {
  while (!connection.empty()) {
    const TransferId id = connection.first();
    if (!is_control(traffic_[id].stage)) return send_data(id, now);
    connection.pop(traffic_);
    send_control(id, now, behind_data);
  }
}

/// Sends a control message. It waits in the queues of large messages, with two exceptions: directly behind data of its
/// own connection it has waited there with the data, and an RTS is mostly written before there is any large message.
void Connections::send_control(TransferId id, SimTime now, bool behind_data) {
  const MessageState& message = traffic_[id];
  const bool back = goes_back(message.stage);
  const HostId from = back ? message.to : message.from, to = back ? message.from : message.to;
  const bool waits = !behind_data && message.stage != Stage::Rts;
  const SimTime passes = waits ? now + queues_.of_control(from, to, now) : now;
  switch (message.stage) {
    case Stage::Rts:
      return set_timer(std::max(passes + message.latency.rts, message.receive_posted), id, Stage::Written);
    case Stage::Cts: return set_timer(passes + message.latency.cts, id, Stage::ClearToSend);
    case Stage::Ack: return set_timer(passes + (message.latency.data - message.latency.fin), id, Stage::Acked);
    default: return set_timer(passes + message.latency.fin, id, Stage::Arrives);
  }
}

/// Starts to send the first message of a connection. A small message may first have to wait in the egress queue.
void Connections::send_data(TransferId id, SimTime now) {
  traffic_[id].written = traffic_.count_written();
  if (!egress_.is_small(traffic_[id]) || egress_.enter(id)) leave_node(id, now);
}

/// It is the turn of a message in the egress queue: all of it but its last frame leaves, or its last frame.
void Connections::take_turn(TransferId id, SimTime now) {
  MessageState& message = traffic_[id];
  if (message.stage != Stage::LastFrame) return leave_node(id, now);
  message.stage = Stage::Flowing;
  message.written = traffic_.count_written();
  message.passes = std::max(message.passes, queues_.end(message, message.last_frame_bytes, now));
  switch_queue_.resume(id, now);
}

/// The data of a message begins to leave its node.
void Connections::leave_node(TransferId id, SimTime now) {
  MessageState& message = traffic_[id];
  message.stage = Stage::Flowing;
  acknowledgements_.begin(message);
  const double rest = EgressQueue::held_back_bytes(message);
  message.passes = egress_.is_small(message) ? queues_.end(message, message.bytes - rest, now) : now;
  traffic_.begin(id);
  flow(id, now, message.bytes,
       {.may_stall = true, .stops_after = rest > 0 ? message.bytes - rest : SwitchQueue::never});
}

/// The last byte of a message has left its node. If it was first in the egress queue, its successor may go.
void Connections::left_node(TransferId id, SimTime now) {
  if (traffic_[id].stage == Stage::Inside) return;
  const TransferId next = egress_.leave(id);
  if (next != no_message) take_turn(next, now);
}

void Connections::flow(TransferId id, SimTime now, double bytes, SwitchQueue::Options options) {
  const MessageState& message = traffic_[id];
  platform_.route(message.from, message.to, route_);
  switch_queue_.start(id, now, bytes, route_.links, message.bound, options);
}

/// The flow of a message, or of the bytes that acknowledgements add to it, has ended.
void Connections::flowed(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  MessageState& message = traffic_[id];
  if (message.stage == Stage::Inside) return ended.push_back(id);
  if (const double added = acknowledgements_.added_bytes(message); added > 0) {
    message.stage = Stage::AddedAcks;
    return flow(id, now, added, {.continues = true});
  }
  traffic_.end(id);
  Connection& own = connection(message.from, message.to);
  own.pop(traffic_);
  const SimTime out = std::max(now, message.passes);
  if (message.acknowledged)
    set_timer(out, id, Stage::Received);
  else
    set_timer(out + message.latency.data, id, Stage::Arrives);
  serve(own, now, true);
}

Duration Connections::rts_delay(HostId from, HostId to, Bandwidth bound, SimTime now) const {
  return {unsent_bytes(from, to, now) / bound.bytes_per_s};
}

double Connections::unsent_bytes(HostId from, HostId to, SimTime now) const {
  const auto connection = connections_.find(pair(from, to));
  double bytes = 0;
  if (connection != connections_.end())
    connection->second.each(traffic_, [&](TransferId id) { bytes += unsent_bytes(id, now); });
  return bytes;
}

/// Bytes of data of a message that wait in a connection or are being sent.
double Connections::unsent_bytes(TransferId id, SimTime now) const {
  const MessageState& message = traffic_[id];
  if (is_control(message.stage)) return 0;
  const bool waits = message.stage == Stage::Queued || message.stage == Stage::Egress;
  return waits ? message.bytes : switch_queue_.remaining_bytes(id, now);
}

}  // namespace orrery::transport
