// SPDX-License-Identifier: BSD-3-Clause
#include "transport/switch_queue.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::transport {

SwitchQueue::SwitchQueue(const platform::Platform& platform, sharing::FlowEngine& flows, double queue_bytes,
                         double later_share)
    : flows_(flows), queue_bytes_(queue_bytes), later_share_(later_share) {
  if (queue_bytes_ <= 0) return;
  for (platform::LinkId id = 0; id < platform.link_count(); ++id)
    is_limiter_.push_back(platform.link(id).kind == platform::LinkKind::NodeLimiter);
  leaving_.resize(platform.link_count());
  coming_.resize(platform.link_count());
}

/// How many of a route's first links belong to the sender's node: its uplink, and its limiter if it has one.
std::uint32_t SwitchQueue::own_links(std::span<const platform::LinkId> links) const {
  return links.size() > most_links_without_own_limiter && is_limiter_[links[1]] ? 2 : 1;
}

void SwitchQueue::start(TransferId id, SimTime now, double bytes, std::span<const platform::LinkId> links,
                        Bandwidth bound, Options options) {
  if (id >= messages_.size()) messages_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * messages_.size()));
  Passing& message = messages_[id];
  message.bytes = bytes;
  message.bound = bound;
  message.to_switch = message.from_switch = {};
  message.divided = queue_bytes_ > 0 && links.size() > 1;
  message.options = options;
  if (!message.divided) message.options.stops_after = never;
  message.stopped = false;
  message.pieces = 1;
  message.piece = bytes;
  message.links.assign(links.begin(), links.end());
  message.own_links = static_cast<std::uint32_t>(links.size());
  if (message.divided) {
    message.own_links = own_links(links);
    message.piece = std::max(queue_bytes_, bytes / most_pieces);
    OnLink& leaving = leaving_[links.front()];
    message.burst = leaving.messages.empty() && message.options.stops_after == never
                        ? std::min(bytes, flows_.burst_bytes(links.first(message.own_links), now))
                        : 0;
    while (begin_of(message, message.pieces) < bytes) ++message.pieces;
    message.place = options.continues ? leaving.has_left : leaving.written++;
    enter(leaving, id, now);
    enter(coming_[links.back()], id, now);
  }
  start_pieces(id, now);
}

void SwitchQueue::resume(TransferId id, SimTime now) {
  messages_[id].stopped = false;
  start_pieces(id, now);
}

/// A message that stops has two pieces: the bytes before it stops, and the rest.
double SwitchQueue::begin_of(const Passing& message, std::uint32_t piece) {
  if (!message.divided) return piece * message.piece;
  if (message.options.stops_after < never)
    return piece == 0 ? 0 : piece == 1 ? message.options.stops_after : message.bytes;
  if (message.burst > 0 && piece-- == 0) return 0;
  return message.burst +
         message.piece * (piece < parts_of_first ? piece / double{parts_of_first} : piece - parts_of_first + 1.0);
}

double SwitchQueue::bytes_of(const Passing& message, std::uint32_t piece) const {
  return std::min(begin_of(message, piece + 1), message.bytes) - begin_of(message, piece);
}

/// Weight of a message by the number of messages at its node's link and at its receiver's; 1 if it is alone at both.
double SwitchQueue::weight(const Passing& message) const {
  if (!message.divided) return 1;
  const std::size_t leaving = leaving_[message.links.front()].messages.size();
  return 1.0 /
         static_cast<double>(std::max<std::size_t>(1, leaving) + coming_[message.links.back()].messages.size() - 1);
}

/// Factor of the weight of a message on the link of its node: `later_share` for each message that was written to the
/// link before it and has not left, but for no more messages than the egress queue has room for. It is 1 when the burst
/// and the first full piece of the message have left.
/// Messages are only counted: one that was written later and leaves sooner counts as if an earlier one had left.
double SwitchQueue::share_of_place(const Passing& message) const {
  if (later_share_ == 1 || !message.divided ||
      begin_of(message, message.to_switch.done) >= message.burst + message.piece)
    return 1;
  const std::uint64_t first = leaving_[message.links.front()].has_left;
  const double room = std::min(most_predecessors, std::ceil(queue_bytes_ / message.bytes));
  double share = 1;
  for (std::uint64_t ahead = first; ahead < std::min(message.place, first + static_cast<std::uint64_t>(room)); ++ahead)
    share *= later_share_;
  return share;
}

/// Starts the next piece on each of the two flows that is idle, where the piece may start.
void SwitchQueue::start_pieces(TransferId id, SimTime now) {
  Passing& message = messages_[id];
  const std::span<const platform::LinkId> links = message.links;
  Pieces& to_switch = message.to_switch;
  Pieces& from_switch = message.from_switch;
  if (to_switch.idle() && !message.stopped && to_switch.begun < message.pieces && window_is_open(message)) {
    const bool may_stall = message.options.may_stall && !message.divided && to_switch.begun == 0;
    flows_.start(flow_to_switch(id), now, {}, bytes_of(message, to_switch.begun), links.first(message.own_links),
                 message.bound, may_stall, weight_to_switch(message));
    ++to_switch.begun;
  }
  if (message.divided && from_switch.idle() && from_switch.begun < to_switch.begun) {
    flows_.start(flow_from_switch(id), now, {}, bytes_of(message, from_switch.begun), links.subspan(message.own_links),
                 message.bound, message.options.may_stall && from_switch.begun == 0, weight_from_switch(message));
    ++from_switch.begun;
  }
}

/// Whether the switch has room for the next piece of a message.
bool SwitchQueue::window_is_open(const Passing& message) {
  return !message.divided || begin_of(message, message.to_switch.begun) <
                                 begin_of(message, message.from_switch.done) + window * message.piece;
}

double SwitchQueue::weight_to_switch(const Passing& message) const { return weight(message) * share_of_place(message); }

/// A burst is in the queue of the switch ahead of all later data.
double SwitchQueue::weight_from_switch(const Passing& message) const {
  return message.burst > 0 && message.from_switch.done == 0 ? burst_weight : weight(message);
}

void SwitchQueue::enter(OnLink& link, TransferId id, SimTime now) {
  link.messages.push_back(id);
  mark_changed(link, now);
}

void SwitchQueue::leave(OnLink& link, TransferId id, SimTime now) {
  std::erase(link.messages, id);
  mark_changed(link, now);
}

void SwitchQueue::mark_changed(OnLink& link, SimTime now) {
  changed_at_ = now;
  if (!std::exchange(link.changed, true)) changed_.push_back(&link);
}

/// Computes the weights of messages again on each link where a message started or ended, if there are few on it.
void SwitchQueue::reweigh() {
  for (OnLink* link : changed_) {
    link->changed = false;
    if (link->messages.size() > reweighed_at_once) continue;
    for (const TransferId id : link->messages) {
      const Passing& message = messages_[id];
      if (!message.to_switch.idle()) flows_.reweigh(flow_to_switch(id), changed_at_, weight_to_switch(message));
      if (!message.from_switch.idle()) flows_.reweigh(flow_from_switch(id), changed_at_, weight_from_switch(message));
    }
  }
  changed_.clear();
}

std::optional<SimTime> SwitchQueue::next_event() {
  reweigh();
  return flows_.next_event();
}

double SwitchQueue::remaining_bytes(TransferId id, SimTime now) const {
  const Passing& message = messages_[id];
  if (!message.divided) return flows_.remaining_bytes(flow_to_switch(id), now);
  double bytes = message.bytes - std::min(message.bytes, begin_of(message, message.from_switch.begun));
  if (!message.from_switch.idle()) bytes += flows_.remaining_bytes(flow_from_switch(id), now);
  return bytes;
}

/// Bytes that have left their node.
double SwitchQueue::left_bytes(TransferId id, SimTime now) const {
  const Passing& message = messages_[id];
  const double out = std::min(message.bytes, begin_of(message, message.to_switch.begun));
  return message.to_switch.idle() ? out : out - flows_.remaining_bytes(flow_to_switch(id), now);
}

double SwitchQueue::leaving_bytes(TransferId id, SimTime now) const {
  return std::max(0.0, messages_[id].bytes - left_bytes(id, now));
}

double SwitchQueue::between_bytes(TransferId id, SimTime now) const {
  const Passing& message = messages_[id];
  if (!message.divided) return 0;
  return std::max(0.0, left_bytes(id, now) - (message.bytes - remaining_bytes(id, now)));
}

void SwitchQueue::advance(SimTime now, Moved& moved) {
  for (std::vector<TransferId>* messages : {&moved.stopped, &moved.left_node, &moved.arrived}) messages->clear();
  ended_.clear();
  const std::optional<SimTime> next = next_event();
  if (!next || *next > now) return;
  flows_.advance(now, ended_);
  for (const TransferId flow : ended_) end_piece(flow, now, moved);
}

/// A piece has passed the links of one of the two flows of its message.
void SwitchQueue::end_piece(TransferId flow, SimTime now, Moved& moved) {
  const TransferId id = message_of(flow);
  Passing& message = messages_[id];
  if (flow == flow_to_switch(id))
    end_piece_to_switch(id, now, moved);
  else
    ++message.from_switch.done;
  const bool has_left = message.to_switch.done == message.pieces;
  const bool has_arrived = has_left && (!message.divided || message.from_switch.done == message.pieces);
  if (!has_arrived) return start_pieces(id, now);
  moved.arrived.push_back(id);
  if (message.divided) leave(coming_[message.links.back()], id, now);
}

void SwitchQueue::end_piece_to_switch(TransferId id, SimTime now, Moved& moved) {
  Passing& message = messages_[id];
  ++message.to_switch.done;
  const bool stops = message.options.stops_after < never;
  if (message.to_switch.done < message.pieces) {
    if (!stops) return;
    message.stopped = true;
    ++leaving_[message.links.front()].has_left;  // the messages that wait go before the rest of this one
    moved.stopped.push_back(id);
    return;
  }
  moved.left_node.push_back(id);
  if (!message.divided) return;
  OnLink& leaving = leaving_[message.links.front()];
  if (!message.options.continues && !stops) ++leaving.has_left;
  leave(leaving, id, now);
}

}  // namespace orrery::transport
