// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/delivery.hpp"

#include <utility>

namespace orrery::kernel {

using network::Protocol;

Delivery::Delivery(const Clock& clock, Messages& messages, Requests& requests, Matching& matching, Transfers& transfers,
                   Rendezvous& rendezvous, Partitioned& partitioned, Probes& probes)
    : clock_(clock),
      messages_(messages),
      requests_(requests),
      matching_(matching),
      transfers_(transfers),
      rendezvous_(rendezvous),
      partitioned_(partitioned),
      probes_(probes) {}

void Delivery::deliver(MessageIndex index) {
  const RequestIndex request = matching_.deliver(index);
  if (request != none) return meet(request, index);
  if (probes_.wait(messages_[index].dest)) matching_.announce(index);
}

void Delivery::post(RequestIndex request) {
  const MessageIndex message = matching_.post(request);
  if (message != none) meet(request, message);
}

void Delivery::envelope_arrived(MessageIndex index) {
  Message& message = messages_[index];
  message.announced = false;
  if (!message.queued) return messages_.release(index);
  const RequestIndex request = matching_.envelope_arrived(index);
  if (request == none) return probes_.wake(message.dest);
  const bool had_any_source = requests_[request].source == op::any_source;
  const Queued envelope = message;
  const std::int32_t dest = message.dest;
  meet(request, index);
  if (!had_any_source) return;
  while (const auto pair = matching_.next_behind(dest, envelope.context, envelope.source))
    meet(pair->request, pair->message);
}

void Delivery::meet(RequestIndex request_index, MessageIndex message_index) {
  Request& request = requests_[request_index];
  if (request.kind == Request::Kind::Partitioned) return partitioned_.meet(request_index, message_index);
  Message& message = messages_[message_index];
  matching_.remove_posted(request_index);
  matching_.remove_unexpected(message_index);
  request.matched_source = message.source;
  request.matched_tag = message.tag;
  request.sequence = message.sequence;
  request.bytes = message.bytes;
  request.overhead = message.recv_overhead;
  message.recv_request = request_index;
  if (!network::starts_at_once(message.protocol)) return rendezvous_.answer_rts(message_index, request.posted_at);
  meet_eager(request_index, message_index);
}

/// The data of the message have left already, and may be there.
void Delivery::meet_eager(RequestIndex request, MessageIndex index) {
  Message& message = messages_[index];
  if (message.protocol == Protocol::Optimistic && clock_.now > message.visible) {
    message.dropped = true;
    if (message.arrived) fetch_dropped(index);
    return;
  }
  if (!message.arrived) return;
  requests_.complete(request);
  messages_.release(index);
}

void Delivery::transfer_ended(MessageIndex index) {
  Message& message = messages_[index];
  message.arrived = true;
  if (message.protocol == Protocol::Optimistic && !message.fetched) {
    if (message.dropped) return fetch_dropped(index);
    if (message.recv_request == none) return;  // whoever takes it has to fetch it
  }
  release_sender(index);
  if (message.recv_request == none) return;
  if (requests_[message.recv_request].kind == Request::Kind::Partitioned) {
    partitioned_.arrived(message.recv_request, message);
  } else {
    requests_.complete(message.recv_request);
  }
  messages_.release(index);
}

/// The data of an optimistic message came when no receive was posted: now that one is, they are sent again. What was
/// dropped has left the links by then.
void Delivery::fetch_dropped(MessageIndex index) {
  messages_[index].arrived = false;
  messages_[index].fetched = true;
  transfers_.start(index, clock_.now);
}

void Delivery::release_sender(MessageIndex index) {
  const RequestIndex request = std::exchange(messages_[index].send_request, none);
  if (request != none) requests_.complete(request);
}

}  // namespace orrery::kernel
