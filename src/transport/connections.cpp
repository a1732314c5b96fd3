// SPDX-License-Identifier: BSD-3-Clause
#include "transport/connections.hpp"

#include <algorithm>
#include <utility>

namespace orrery::transport {

using platform::HostId;

/// Who waits for room in a buffer is woken when a third of it is free (Linux: sk_stream_is_writeable), so that a large
/// message leaves between two thirds of it and all of it when its sender goes on.
constexpr double buffer_over_rest = 1.5;

namespace {

/// Frames that a connection has in its node's egress queue at once: two buffers of at least two frames each (Linux:
/// tcp_min_tso_segs, and "TCP small queues"). Messages that are no longer leave in the order in which they are written,
/// longer ones in turns.
constexpr double kFramesQueued = 4;

double depth(const settings::Connections& settings) {
  return settings.queue ? static_cast<double>(settings.queue->depth_bytes) : 0;
}

/// A frame is never parted, even where a queue is fair to each connection.
double small_bytes(const settings::Connections& settings, double frame) {
  return frame > 0 ? std::max(frame, std::min(kFramesQueued * frame, depth(settings))) : depth(settings);
}

}  // namespace

Connections::Connections(const platform::Platform& platform, const network::Framing& framing,
                         sharing::FlowEngine& flows, const settings::Connections& settings)
    : platform_(platform),
      passages_(platform, flows, depth(settings), settings.queue ? settings.queue->later_share : 1),
      send_buffer_bytes_(static_cast<double>(settings.send_buffer_bytes)),
      queue_bytes_(depth(settings)),
      ack_fraction_(settings.ack_fraction),
      small_bytes_(small_bytes(settings, framing.full_frame())),
      control_bytes_(settings.requests_follow_messages ? framing.on_wire({0}) : 0),
      small_(platform.hosts().size()),
      leaving_(platform.hosts().size()),
      coming_(leaving_.size()) {}

void Connections::start(TransferId id, const Message& message, SimTime now, SimTime written) {
  state_of(id) = State{message};
  at(std::max(now, written), id, message.sends_rts ? Stage::SendsRts : Stage::Written);
}

void Connections::start_inside(TransferId id, SimTime now, Duration latency, double bytes,
                               std::span<const platform::LinkId> links, Bandwidth bound) {
  state_of(id).stage = Stage::Inside;
  passages_.start(id, now + latency, bytes, links, bound, {});
}

Connections::State& Connections::state_of(TransferId id) {
  if (id >= messages_.size()) messages_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * messages_.size()));
  return messages_[id];
}

std::optional<SimTime> Connections::next_event() {
  const std::optional<SimTime> next = passages_.next_event();
  if (timers_.empty()) return next;
  const SimTime timer{timers_.first().time_s};
  return next ? std::min(*next, timer) : timer;
}

void Connections::advance(SimTime now, std::vector<TransferId>& ended) {
  passages_.advance(now, moved_);
  for (const TransferId id : moved_.stopped) wait_again(id, now);
  for (const TransferId id : moved_.left) left_node(id, now);
  for (const TransferId id : moved_.there) flowed(id, now, ended);
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

void Connections::at(SimTime time, TransferId id, Stage stage) {
  messages_[id].stage = stage;
  timers_.push({time.s, timers_set_++, id});
}

void Connections::happen(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  State& message = messages_[id];
  switch (message.stage) {
    case Stage::SendsRts: message.stage = Stage::Rts; return append(line(message.from, message.to), id, now);
    case Stage::Written:
      message.stage = message.rendezvous ? Stage::Cts : Stage::Queued;
      return message.rendezvous ? append(line(message.to, message.from), id, now)
                                : append(line(message.from, message.to), id, now);
    case Stage::ClearToSend: message.stage = Stage::Queued; return append(line(message.from, message.to), id, now);
    case Stage::Out: message.stage = Stage::Ack; return append(line(message.to, message.from), id, now);
    case Stage::Acked:
      message.stage = Stage::Fin;
      message.holds_sender = false;
      released_.push_back(id);
      return append(line(message.from, message.to), id, now);
    case Stage::Arrives: return ended.push_back(id);
    default: return;  // the others wait for their turn or their flow
  }
}

void Connections::append(Fifo& line, TransferId id, SimTime now) {
  messages_[id].next = kNone;
  if (line.first != kNone) {
    messages_[std::exchange(line.last, id)].next = id;
    return;
  }
  line.first = line.last = id;
  serve(line, now, false);
}

/// The first in the connection's FIFO is sent: control messages at once, data as a flow until whose end the others
/// wait.
void Connections::serve(Fifo& line, SimTime now, bool behind_data) {
  while (line.first != kNone) {
    const TransferId id = line.first;
    State& message = messages_[id];
    if (!is_control(message.stage)) return begin_data(id, now);
    line.first = message.next;
    go_control(id, now, behind_data);
  }
}

/// A control message is sent, behind small messages in the egress queue. Directly behind data of its own connection it
/// has waited in the queues of larger flows already; an RTS is mostly written before any of these.
void Connections::go_control(TransferId id, SimTime now, bool behind_data) {
  State& message = messages_[id];
  const bool back = message.stage == Stage::Cts || message.stage == Stage::Ack;
  const HostId from = back ? message.to : message.from, to = back ? message.from : message.to;
  SimTime passes = now + standing_before(from, now);
  if (!behind_data && message.stage != Stage::Rts)
    passes = passes + in_front(from, to, written_, now) + behind_switch(from, to, now);
  switch (message.stage) {
    case Stage::Rts: return at(std::max(passes + message.legs.rts, message.receive_posted), id, Stage::Written);
    case Stage::Cts: return at(passes + message.legs.cts, id, Stage::ClearToSend);
    case Stage::Ack: return at(passes + (message.legs.data - message.legs.fin), id, Stage::Acked);
    default: return at(passes + message.legs.fin, id, Stage::Arrives);
  }
}

bool Connections::is_small(const State& message) const { return message.bytes <= small_bytes_; }

/// A message is first on its connection; a small one may still have to wait in the egress queue.
void Connections::begin_data(TransferId id, SimTime now) {
  State& message = messages_[id];
  message.written = written_++;
  if (!is_small(message)) return leave_node(id, now);
  message.behind = kNone;
  message.stage = Stage::Behind;
  Fifo& line = small_[message.from];
  message.has_waited = line.first != kNone;
  if (message.has_waited) {
    messages_[std::exchange(line.last, id)].behind = id;
    return;
  }
  line.first = line.last = id;
  leave_node(id, now);
}

/// What of a small message does not leave with the rest of it.
double Connections::rest_bytes(const State& message) {
  return message.has_waited && !message.holds_sender ? message.last_frame_bytes : 0;
}

/// What of it stands in front of its node's link, or will when those before it have left.
double Connections::standing_bytes(const State& message) {
  return message.stage == Stage::Rest ? message.last_frame_bytes : message.bytes - rest_bytes(message);
}

/// All of a small message but its last frame is past its node's link.
void Connections::wait_again(TransferId id, SimTime now) {
  State& message = messages_[id];
  Fifo& line = small_[message.from];
  message.stage = Stage::Rest;
  message.has_waited = false;
  if (message.behind != kNone) {
    line.first = std::exchange(message.behind, kNone);
    messages_[std::exchange(line.last, id)].behind = id;
  }
  go_out(line.first, now);
}

/// What stands first among the small messages of its node.
void Connections::go_out(TransferId id, SimTime now) {
  State& message = messages_[id];
  if (message.stage != Stage::Rest) return leave_node(id, now);
  message.stage = Stage::Flowing;
  message.written = written_++;
  message.passes = std::max(message.passes, passes_queues(message, message.last_frame_bytes, now));
  passages_.resume(id, now);
}

/// A message has left its node's link: if it was a small one, the next in the egress queue may go.
void Connections::left_node(TransferId id, SimTime now) {
  if (messages_[id].stage == Stage::Inside) return;
  Fifo& line = small_[messages_[id].from];
  if (line.first != id) return;
  line.first = messages_[id].behind;
  if (line.first != kNone) go_out(line.first, now);
}

void Connections::leave_node(TransferId id, SimTime now) {
  State& message = messages_[id];
  message.stage = Stage::Flowing;
  message.unwritten = message.bytes;
  const double buffer = send_buffer_bytes_;
  if (message.holds_sender && (buffer <= 0 || message.bytes > buffer)) {
    message.unwritten -= buffer;
  } else if (message.holds_sender) {  // all of it fits
    message.holds_sender = false;
    released_.push_back(id);
  }
  message.meets_acks = meets_acks(message);
  message.acks_bytes = ack_fraction_ * message.bytes;
  message.passes = is_small(message) ? passes_queues(message, message.bytes - rest_bytes(message), now) : now;
  leaving_[message.from].push_back(id);
  coming_[message.to].push_back(id);
  const double rest = rest_bytes(message);
  flow(id, now, message.unwritten,
       {.may_stall = true, .stops_after = rest > 0 ? message.unwritten - rest : Passages::kNever});
}

bool Connections::has_room(HostId from, HostId to, double bytes, SimTime now) const {
  if (send_buffer_bytes_ <= 0) return true;
  const double unsent = unsent_bytes(from, to, now);
  return unsent <= 0 || unsent + bytes <= buffer_over_rest * send_buffer_bytes_;
}

Duration Connections::rts_delay(HostId from, HostId to, Bandwidth bound, SimTime now) const {
  return std::max(standing_before(from, now), Duration{unsent_bytes(from, to, now) / bound.bytes_per_s});
}

double Connections::unsent_bytes(HostId from, HostId to, SimTime now) const {
  const auto line = lines_.find(pair(from, to));
  double bytes = 0;
  if (line == lines_.end()) return bytes;
  for (TransferId id = line->second.first; id != kNone; id = messages_[id].next) bytes += unsent_bytes(id, now);
  return bytes;
}

/// Of a message's data that have their turn on a connection, or wait for it.
double Connections::unsent_bytes(TransferId id, SimTime now) const {
  switch (messages_[id].stage) {
    case Stage::Rts:
    case Stage::Cts:
    case Stage::Ack:
    case Stage::Fin: return 0;
    case Stage::Queued:
    case Stage::Behind: return messages_[id].bytes;
    case Stage::Flowing: return passages_.remaining_bytes(id, now) + messages_[id].bytes - messages_[id].unwritten;
    default: return passages_.remaining_bytes(id, now);
  }
}

void Connections::flow(TransferId id, SimTime now, double bytes, Passages::Terms terms) {
  const State& message = messages_[id];
  platform_.route(message.from, message.to, route_);
  passages_.start(id, now, bytes, route_.links, message.bound, terms);
}

/// The present part of a message is out.
void Connections::flowed(TransferId id, SimTime now, std::vector<TransferId>& ended) {
  State& message = messages_[id];
  if (message.stage == Stage::Inside) return ended.push_back(id);
  if (message.stage == Stage::Flowing && message.holds_sender && send_buffer_bytes_ > 0) {
    message.stage = Stage::Buffered;
    released_.push_back(id);
    return flow(id, now, message.bytes - message.unwritten, {.continues = true});
  }
  if (message.stage != Stage::Acks && message.acks_bytes > 0 && (message.meets_acks || meets_acks(message))) {
    message.stage = Stage::Acks;
    return flow(id, now, message.acks_bytes, {.continues = true});
  }
  std::erase(leaving_[message.from], id);
  std::erase(coming_[message.to], id);
  Fifo& own = line(message.from, message.to);
  own.first = message.next;
  const SimTime out = std::max(now, message.passes);
  if (message.acknowledged)
    at(out, id, Stage::Out);
  else
    at(out + message.legs.data, id, Stage::Arrives);
  serve(own, now, true);
}

/// Whether acknowledgements of other pairs go the way of this message: of what its sender receives, and of what its
/// receiver sends. Those of its own pair travel with the data.
bool Connections::meets_acks(const State& message) const {
  const auto other_source = [&](TransferId id) { return messages_[id].from != message.to; };
  const auto other_target = [&](TransferId id) { return messages_[id].to != message.from; };
  return std::any_of(coming_[message.from].begin(), coming_[message.from].end(), other_source) ||
         std::any_of(leaving_[message.to].begin(), leaving_[message.to].end(), other_target);
}

/// How long an RTS or a CTS waits behind small messages in the egress queue. These have used the burst of the link, so
/// that what comes after them goes at the link's rate.
Duration Connections::standing_before(HostId from, SimTime now) const {
  if (control_bytes_ <= 0) return {};
  const TransferId first = small_[from].first;
  if (first == kNone) return {};
  double bytes = std::max(0.0, passages_.leaving_bytes(first, now) - rest_bytes(messages_[first]));
  bytes += control_bytes_;
  for (TransferId id = messages_[first].behind; id != kNone; id = messages_[id].behind)
    bytes += standing_bytes(messages_[id]);
  return {bytes / messages_[first].bound.bytes_per_s};
}

/// When a message that leaves now is out if it stands in queues: while it waits in front of its node's link, the one
/// behind the switch goes on. Behind others of its node it goes at the link's rate, as they have taken what the link
/// lets pass at once.
SimTime Connections::passes_queues(const State& message, double bytes, SimTime now) const {
  const std::vector<TransferId>& leaving = leaving_[message.from];
  const bool follows = std::any_of(leaving.begin(), leaving.end(), [&](TransferId id) {
    return messages_[id].to != message.to && messages_[id].written < message.written;
  });
  const Duration ahead =
      std::max(in_front(message.from, message.to, message.written, now), behind_switch(message.from, message.to, now));
  if (!follows && ahead.s <= 0) return now;
  return now + ahead + Duration{bytes / message.bound.bytes_per_s};
}

/// How long something that is written now, or was as the `written`-th, stands in front of its node's link: behind
/// others that were written before and leave for other nodes, of which so many bytes are in the queue.
Duration Connections::in_front(HostId from, HostId to, std::uint64_t written, SimTime now) const {
  double bytes = 0;
  Bandwidth bound{1};
  for (const TransferId id : leaving_[from]) {
    const State& other = messages_[id];
    if (other.to == to || other.written >= written || other.stage == Stage::Rest ||
        passages_.leaving_bytes(id, now) <= 0)
      continue;
    bytes += passages_.remaining_bytes(id, now);
    bound = other.bound;
  }
  return {std::min(queue_bytes_, bytes) / bound.bytes_per_s};
}

/// How long it stands behind the switch: behind what has come there from other nodes and cannot go on to its own.
Duration Connections::behind_switch(HostId from, HostId to, SimTime now) const {
  double bytes = 0;
  Bandwidth bound{1};
  if (queue_bytes_ <= 0) return {};
  for (const TransferId id : coming_[to]) {
    if (messages_[id].from == from) continue;
    bytes += passages_.between_bytes(id, now);
    bound = messages_[id].bound;
  }
  return {bytes / bound.bytes_per_s};
}

}  // namespace orrery::transport
