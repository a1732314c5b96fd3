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
constexpr double kFramesQueued = 4;

double depth(const settings::Connections& settings) {
  return settings.queue ? static_cast<double>(settings.queue->depth_bytes) : 0;
}

/// Size up to which a message is small: one frame at least, as a frame is never divided, however short the queue is.
double small_bytes(const settings::Connections& settings, double frame) {
  return frame > 0 ? std::max(frame, std::min(kFramesQueued * frame, depth(settings))) : depth(settings);
}

}  // namespace

Connections::Connections(const platform::Platform& platform, const network::Framing& framing,
                         sharing::FlowEngine& flows, const settings::Connections& settings)
    : platform_(platform),
      switch_queue_(platform, flows, depth(settings), settings.queue ? settings.queue->later_share : 1),
      queue_bytes_(depth(settings)),
      ack_fraction_(settings.ack_fraction),
      small_bytes_(small_bytes(settings, framing.full_frame())),
      control_bytes_(settings.requests_follow_messages ? framing.on_wire({0}) : 0),
      egress_(platform.hosts().size()),
      leaving_(platform.hosts().size()),
      coming_(leaving_.size()) {}

void Connections::start(TransferId id, const Message& message, SimTime now, SimTime written) {
  state_of(id) = State{message};
  set_timer(std::max(now, written), id, message.sends_rts ? Stage::SendsRts : Stage::Written);
}

void Connections::start_inside(TransferId id, SimTime now, Duration latency, double bytes,
                               std::span<const platform::LinkId> links, Bandwidth bound) {
  state_of(id).stage = Stage::Inside;
  switch_queue_.start(id, now + latency, bytes, links, bound, {});
}

Connections::State& Connections::state_of(TransferId id) {
  if (id >= messages_.size()) messages_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * messages_.size()));
  return messages_[id];
}

std::optional<SimTime> Connections::next_event() {
  const std::optional<SimTime> next = switch_queue_.next_event();
  if (timers_.empty()) return next;
  const SimTime timer{timers_.first().time_s};
  return next ? std::min(*next, timer) : timer;
}

void Connections::advance(SimTime now, std::vector<TransferId>& ended) {
  switch_queue_.advance(now, moved_);
  for (const TransferId id : moved_.stopped) hold_last_frame(id, now);
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
  messages_[id].stage = stage;
  timers_.push({time.s, timers_set_++, id});
}

void Connections::happen(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  State& message = messages_[id];
  switch (message.stage) {
    case Stage::SendsRts: message.stage = Stage::Rts; return append(connection(message.from, message.to), id, now);
    case Stage::Written:
      message.stage = message.rendezvous ? Stage::Cts : Stage::Queued;
      return message.rendezvous ? append(connection(message.to, message.from), id, now)
                                : append(connection(message.from, message.to), id, now);
    case Stage::ClearToSend:
      message.stage = Stage::Queued;
      return append(connection(message.from, message.to), id, now);
    case Stage::Received: message.stage = Stage::Ack; return append(connection(message.to, message.from), id, now);
    case Stage::Acked:
      message.stage = Stage::Fin;
      released_.push_back(id);
      return append(connection(message.from, message.to), id, now);
    case Stage::Arrives: return ended.push_back(id);
    default: return;  // in the other stages the message waits in a FIFO or for its flow
  }
}

void Connections::append(Fifo& connection, TransferId id, SimTime now) {
  messages_[id].next = kNone;
  if (connection.first != kNone) {
    messages_[std::exchange(connection.last, id)].next = id;
    return;
  }
  connection.first = connection.last = id;
  serve(connection, now, false);
}

/// Sends what is first in a connection: all control messages up to the next data, and that data as a flow. The others
/// wait until the flow ends.
/// @param behind_data whether data of this connection has just been sent
void Connections::serve(Fifo& connection, SimTime now, bool behind_data) {
  while (connection.first != kNone) {
    const TransferId id = connection.first;
    State& message = messages_[id];
    if (!is_control(message.stage)) return begin_data(id, now);
    connection.first = message.next;
    go_control(id, now, behind_data);
  }
}

/// Sends a control message, which waits behind small messages in the egress queue. It also waits in the queues of large
/// messages, with two exceptions: directly behind data of its own connection it has waited there with the data, and an
/// RTS is mostly written before there is any large message.
void Connections::go_control(TransferId id, SimTime now, bool behind_data) {
  State& message = messages_[id];
  const bool back = message.stage == Stage::Cts || message.stage == Stage::Ack;
  const HostId from = back ? message.to : message.from, to = back ? message.from : message.to;
  SimTime passes = now + egress_delay(from, now);
  if (!behind_data && message.stage != Stage::Rts)
    passes = passes + delay_before_switch(from, to, written_, now) + delay_behind_switch(from, to, now);
  switch (message.stage) {
    case Stage::Rts:
      return set_timer(std::max(passes + message.latency.rts, message.receive_posted), id, Stage::Written);
    case Stage::Cts: return set_timer(passes + message.latency.cts, id, Stage::ClearToSend);
    case Stage::Ack: return set_timer(passes + (message.latency.data - message.latency.fin), id, Stage::Acked);
    default: return set_timer(passes + message.latency.fin, id, Stage::Arrives);
  }
}

bool Connections::is_small(const State& message) const { return message.bytes <= small_bytes_; }

/// Starts to send the first message of a connection. A small message may first have to wait in the egress queue.
void Connections::begin_data(TransferId id, SimTime now) {
  State& message = messages_[id];
  message.written = written_++;
  if (!is_small(message)) return leave_node(id, now);
  message.next_in_egress = kNone;
  message.stage = Stage::Egress;
  Fifo& egress = egress_[message.from];
  message.has_waited = egress.first != kNone;
  if (message.has_waited) {
    messages_[std::exchange(egress.last, id)].next_in_egress = id;
    return;
  }
  egress.first = egress.last = id;
  leave_node(id, now);
}

/// Bytes of a small message that are held back: its last frame, if the message has waited (tcp_autocorking).
double Connections::held_back_bytes(const State& message) {
  return message.has_waited && !message.acknowledged ? message.last_frame_bytes : 0;
}

/// Bytes of a small message that leave when it is its turn in the egress queue.
double Connections::egress_bytes(const State& message) {
  return message.stage == Stage::LastFrame ? message.last_frame_bytes : message.bytes - held_back_bytes(message);
}

/// All of a small message but its last frame has left its node. The last frame goes to the end of the egress queue.
void Connections::hold_last_frame(TransferId id, SimTime now) {
  State& message = messages_[id];
  Fifo& egress = egress_[message.from];
  message.stage = Stage::LastFrame;
  message.has_waited = false;
  if (message.next_in_egress != kNone) {
    egress.first = std::exchange(message.next_in_egress, kNone);
    messages_[std::exchange(egress.last, id)].next_in_egress = id;
  }
  leave_egress(egress.first, now);
}

/// The first message in the egress queue leaves it.
void Connections::leave_egress(TransferId id, SimTime now) {
  State& message = messages_[id];
  if (message.stage != Stage::LastFrame) return leave_node(id, now);
  message.stage = Stage::Flowing;
  message.written = written_++;
  message.passes = std::max(message.passes, end_of_queues(message, message.last_frame_bytes, now));
  switch_queue_.resume(id, now);
}

/// A message has left its node. If it was first in the egress queue, its successor may go.
void Connections::left_node(TransferId id, SimTime now) {
  if (messages_[id].stage == Stage::Inside) return;
  Fifo& egress = egress_[messages_[id].from];
  if (egress.first != id) return;
  egress.first = messages_[id].next_in_egress;
  if (egress.first != kNone) leave_egress(egress.first, now);
}

void Connections::leave_node(TransferId id, SimTime now) {
  State& message = messages_[id];
  message.stage = Stage::Flowing;
  message.meets_acks = meets_acks(message);
  message.acks_bytes = ack_fraction_ * message.bytes;
  message.passes = is_small(message) ? end_of_queues(message, message.bytes - held_back_bytes(message), now) : now;
  leaving_[message.from].push_back(id);
  coming_[message.to].push_back(id);
  const double rest = held_back_bytes(message);
  flow(id, now, message.bytes,
       {.may_stall = true, .stops_after = rest > 0 ? message.bytes - rest : SwitchQueue::kNever});
}

Duration Connections::rts_delay(HostId from, HostId to, Bandwidth bound, SimTime now) const {
  return std::max(egress_delay(from, now), Duration{unsent_bytes(from, to, now) / bound.bytes_per_s});
}

double Connections::unsent_bytes(HostId from, HostId to, SimTime now) const {
  const auto connection = connections_.find(pair(from, to));
  double bytes = 0;
  if (connection == connections_.end()) return bytes;
  for (TransferId id = connection->second.first; id != kNone; id = messages_[id].next) bytes += unsent_bytes(id, now);
  return bytes;
}

/// Bytes of data of a message that wait in a connection or are being sent.
double Connections::unsent_bytes(TransferId id, SimTime now) const {
  switch (messages_[id].stage) {
    case Stage::Rts:
    case Stage::Cts:
    case Stage::Ack:
    case Stage::Fin: return 0;
    case Stage::Queued:
    case Stage::Egress: return messages_[id].bytes;
    default: return switch_queue_.remaining_bytes(id, now);
  }
}

void Connections::flow(TransferId id, SimTime now, double bytes, SwitchQueue::Options options) {
  const State& message = messages_[id];
  platform_.route(message.from, message.to, route_);
  switch_queue_.start(id, now, bytes, route_.links, message.bound, options);
}

/// The flow of a message, or of the bytes that acknowledgements add to it, has ended.
void Connections::flowed(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  State& message = messages_[id];
  if (message.stage == Stage::Inside) return ended.push_back(id);
  if (message.stage != Stage::AddedAcks && message.acks_bytes > 0 && (message.meets_acks || meets_acks(message))) {
    message.stage = Stage::AddedAcks;
    return flow(id, now, message.acks_bytes, {.continues = true});
  }
  std::erase(leaving_[message.from], id);
  std::erase(coming_[message.to], id);
  Fifo& own = connection(message.from, message.to);
  own.first = message.next;
  const SimTime out = std::max(now, message.passes);
  if (message.acknowledged)
    set_timer(out, id, Stage::Received);
  else
    set_timer(out + message.latency.data, id, Stage::Arrives);
  serve(own, now, true);
}

/// Whether acknowledgements between other nodes use a link of this message: for what its sender receives, or for what
/// its receiver sends. Acknowledgements between its own two nodes travel with the data.
bool Connections::meets_acks(const State& message) const {
  const auto other_source = [&](TransferId id) { return messages_[id].from != message.to; };
  const auto other_target = [&](TransferId id) { return messages_[id].to != message.from; };
  return std::any_of(coming_[message.from].begin(), coming_[message.from].end(), other_source) ||
         std::any_of(leaving_[message.to].begin(), leaving_[message.to].end(), other_target);
}

/// How long a control message waits in the egress queue of its node. The small messages there have used up the burst of
/// the link, so the control message itself leaves at the rate of the link.
Duration Connections::egress_delay(HostId from, SimTime now) const {
  if (control_bytes_ <= 0) return {};
  const TransferId first = egress_[from].first;
  if (first == kNone) return {};
  double bytes = std::max(0.0, switch_queue_.leaving_bytes(first, now) - held_back_bytes(messages_[first]));
  bytes += control_bytes_;
  for (TransferId id = messages_[first].next_in_egress; id != kNone; id = messages_[id].next_in_egress)
    bytes += egress_bytes(messages_[id]);
  return {bytes / messages_[first].bound.bytes_per_s};
}

/// Earliest time at which `bytes` of a message that leaves now have passed the queue before and the queue behind the
/// switch. Both queues empty at the same time, so the longer wait counts. Behind other messages of its node it leaves
/// at the rate of the link, as these have used up the burst of the link.
SimTime Connections::end_of_queues(const State& message, double bytes, SimTime now) const {
  const std::vector<TransferId>& leaving = leaving_[message.from];
  const bool follows = std::any_of(leaving.begin(), leaving.end(), [&](TransferId id) {
    return messages_[id].to != message.to && messages_[id].written < message.written;
  });
  const Duration ahead = std::max(delay_before_switch(message.from, message.to, message.written, now),
                                  delay_behind_switch(message.from, message.to, now));
  if (!follows && ahead.s <= 0) return now;
  return now + ahead + Duration{bytes / message.bound.bytes_per_s};
}

/// How long a message waits in front of the link of its node: behind messages to other nodes that were written before
/// it, of which up to `depth_bytes` are in the queue.
/// @param written number of the message among all that were written
Duration Connections::delay_before_switch(HostId from, HostId to, std::uint64_t written, SimTime now) const {
  double bytes = 0;
  Bandwidth bound{1};
  for (const TransferId id : leaving_[from]) {
    const State& other = messages_[id];
    if (other.to == to || other.written >= written || other.stage == Stage::LastFrame ||
        switch_queue_.leaving_bytes(id, now) <= 0)
      continue;
    bytes += switch_queue_.remaining_bytes(id, now);
    bound = other.bound;
  }
  return {std::min(queue_bytes_, bytes) / bound.bytes_per_s};
}

/// How long a message waits behind the switch: behind bytes from other nodes that wait for the link of its receiver.
Duration Connections::delay_behind_switch(HostId from, HostId to, SimTime now) const {
  double bytes = 0;
  Bandwidth bound{1};
  if (queue_bytes_ <= 0) return {};
  for (const TransferId id : coming_[to]) {
    if (messages_[id].from == from) continue;
    bytes += switch_queue_.between_bytes(id, now);
    bound = messages_[id].bound;
  }
  return {bytes / bound.bytes_per_s};
}

}  // namespace orrery::transport
