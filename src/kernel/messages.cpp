// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "kernel/state.hpp"

/// Sends, receives, and how they find each other (MPI-4.1, section 3.5: messages of one sender do not overtake each
/// other, receives are served in the order in which they were posted).
///
/// A receive of a known source meets its message as soon as both are posted, because the outcome cannot depend on time.
/// A receive of any source takes the message whose envelope arrives first, so it only sees envelopes that have arrived.
namespace orrery::kernel {

using network::starts_at_once;

/// When the rank has handled a message from or to `peer`, which it may do from its clock on. On a shared processor its
/// work begins with its turn, and is all that it spends when others wait for theirs.
SimTime Simulation::State::handle(Side side, const Cursor& cursor, std::int32_t peer, Duration overhead) {
  const SimTime from = std::max(now, cursor.clock);
  if (host(cursor.rank) == host(peer)) return from + overhead;
  const auto [own_work, alone] = handling.of(side, overhead);
  if (!processors.shared()) return from + alone;
  const Duration work = own_work + interrupts.pay();
  if (side == Side::Woken) return std::max(cursor.clock + alone, from + work);
  return from + (processors.wanted() ? work : std::max(alone, work));
}

void Simulation::State::start_transfer(std::uint32_t index, SimTime receive_posted) {
  Message& message = messages[index];
  message.idle_before = interrupts.idle();
  network::Transfer transfer;
  transfer.id = index;
  transfer.from = place(message.source);
  transfer.to = place(message.dest);
  transfer.from_rank = message.source;
  transfer.to_rank = message.dest;
  transfer.rts_delay = message.rts_delay;
  transfer.fetched = message.fetched;
  transfer.held = message.held;
  transfer.bytes = message.bytes;
  transfer.protocol = message.protocol;
  transfer.send_posted = message.sent;
  transfer.receive_posted = receive_posted;
  const std::optional<SimTime> released = transport.start(transfer, now);
  if (released && message.send_request != none) {
    queue.push(Event::release(std::max(now, *released), std::exchange(message.send_request, none), message.order));
  }
}

std::uint32_t Simulation::State::first_wildcard(const RankState& rank, const Message& message) const {
  std::uint32_t index = rank.wildcards.first;
  while (index != none && !accepts(requests[index], message)) index = requests[index].next;
  return index;
}

/// The first of the messages that wait which something of a known source accepts.
std::uint32_t Simulation::State::first_unexpected(const RankState& rank, const Queued& wanted) const {
  return rank.unexpected.find(messages, wanted.context, wanted.source,
                              [&](const Message& message) { return accepts(wanted, message); });
}

/// A message has been posted: to the receive that waits for it, or into the unexpected-message queue.
void Simulation::State::deliver(std::uint32_t index) {
  Message& message = messages[index];
  RankState& rank = ranks[static_cast<std::size_t>(message.dest)];
  const std::uint32_t named = rank.posted.find(requests, message.context, message.source,
                                               [&](const Request& request) { return accepts(request, message); });
  const std::uint32_t wildcard = first_wildcard(rank, message);
  if (wildcard != none && (named == none || requests[wildcard].order < requests[named].order)) {
    enqueue(index);
    return announce(index);
  }
  if (named != none) return match(named, index);
  enqueue(index);
  if (probes(message.dest)) announce(index);
}

void Simulation::State::enqueue(std::uint32_t index) {
  Message& message = messages[index];
  RankState& rank = ranks[static_cast<std::size_t>(message.dest)];
  // An envelope does not overtake an earlier one of the same sender, though a longer latency regime may apply to that.
  const std::uint32_t earlier = rank.unexpected.last(messages, message.context, message.source);
  if (earlier != none) message.visible = std::max(message.visible, messages[earlier].visible);
  rank.unexpected.append(messages, index);
  message.queued = true;
  if (message.context >> 63) return;  // of a collective: never probed
  std::uint32_t before = rank.last_visible;
  while (before != none && messages[before].visible > message.visible) before = messages[before].previous_visible;
  message.previous_visible = before;
  message.next_visible = before == none ? rank.first_visible : messages[before].next_visible;
  (before == none ? rank.first_visible : messages[before].next_visible) = index;
  (message.next_visible == none ? rank.last_visible : messages[message.next_visible].previous_visible) = index;
}

void Simulation::State::dequeue(std::uint32_t index) {
  Message& message = messages[index];
  RankState& rank = ranks[static_cast<std::size_t>(message.dest)];
  rank.unexpected.remove(messages, index);
  message.queued = false;
  if (message.context >> 63) return;
  (message.previous_visible == none ? rank.first_visible : messages[message.previous_visible].next_visible) =
      message.next_visible;
  (message.next_visible == none ? rank.last_visible : messages[message.next_visible].previous_visible) =
      message.previous_visible;
}

/// Someone waits for the envelope of this message.
void Simulation::State::announce(std::uint32_t index) {
  Message& message = messages[index];
  if (message.announced) return;
  message.announced = true;
  queue.push(Event::envelope(std::max(now, message.visible), index, message.order));
}

void Simulation::State::envelope_arrived(std::uint32_t index) {
  Message& message = messages[index];
  message.announced = false;
  if (!message.queued) return release_message(index);
  RankState& rank = ranks[static_cast<std::size_t>(message.dest)];
  const std::uint32_t named = rank.posted.find(requests, message.context, message.source,
                                               [&](const Request& request) { return accepts(request, message); });
  const std::uint32_t wildcard = first_wildcard(rank, message);
  if (wildcard != none && (named == none || requests[wildcard].order < requests[named].order)) {
    const Context context = message.context;
    const std::int32_t source = message.source;
    const std::int32_t dest = message.dest;
    match(wildcard, index);
    return rematch(dest, context, source);
  }
  if (named != none) return match(named, index);
  wake_probes(message.dest);
}

/// Whether a receive takes a message that its rank can see by now and that waits for no receive: then it gives the same
/// times when it is posted ahead of its own. Whatever comes meanwhile stands behind that message anyhow.
bool Simulation::State::takes_what_is_there(const Cursor& cursor) const {
  if (!goes_ahead(cursor) || cursor.frame != none) return false;
  const op::Operation& operation = *cursor.current;
  if (operation.peer == op::any_source || operation.has(op::Part) || operation.has(op::Take)) return false;
  const RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  if (rank.threads_waiting > 0 || rank.threads_running > 0) return false;
  const std::uint32_t found = first_unexpected(rank, wanted_by(operation));
  if (found == none) return false;
  const Message& message = messages[found];
  return message.protocol == network::Protocol::Asynchronous && message.visible <= now &&
         first_wildcard(rank, message) == none;
}

void Simulation::State::begin_receive(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  const std::uint32_t index = open_receive_request(cursor);
  // In place before the match, which may complete it.
  if (operation.has(op::Blocking)) {
    wait_for(cursor_index, index);
  } else {
    go_on(cursor);
  }
  if (operation.has(op::Take)) {
    receive_taken(cursor_index, index);
  } else {
    post(index);
  }
}

std::uint32_t Simulation::State::open_receive_request(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  const Frame* frame = cursor.frame == none ? nullptr : &frames[cursor.frame];
  if (frame == nullptr && operation.peer != op::any_source) check_rank(cursor, "a receive from", operation.peer);
  const std::uint32_t index = requests.take();
  Request& request = requests[index];
  request.kind = Request::Kind::Receive;
  request.rank = cursor.rank;
  request.tag = operation.tag;
  request.bytes = operation.bytes;
  request.order = posted++;
  request.posted_at = now;
  request.wants_match = operation.has(op::WantsMatch);
  request.context = frame != nullptr ? frame->context : point_to_point_context(operation.comm);
  request.source = frame != nullptr ? frame->world(operation.peer) : operation.peer;
  request.peer = request.source;
  if (operation.has(op::Part)) {
    request.join = request_of(cursor, operation.request);
    requests[request.join].wants_match |= request.wants_match;
    requests[request.join].peer = request.source;
  } else if (!operation.has(op::Blocking)) {
    slot(cursor, operation.request) = index;
  }
  return index;
}

void Simulation::State::receive_taken(std::uint32_t cursor_index, std::uint32_t request_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  std::vector<std::uint32_t>& taken = ranks[static_cast<std::size_t>(cursor.rank)].taken;
  const auto found = std::find_if(taken.begin(), taken.end(), [&](std::uint32_t index) {
    return messages[index].source == operation.peer &&
           messages[index].sequence == static_cast<std::uint32_t>(operation.element);
  });
  if (found == taken.end()) bad_stream(cursor, "a matched receive of a message that no probe has taken");
  const std::uint32_t message = *found;
  taken.erase(found);
  match(request_index, message);
}

/// A receive has been posted: it takes a message that is there, or waits in its queue.
void Simulation::State::post(std::uint32_t index) {
  Request& request = requests[index];
  RankState& rank = ranks[static_cast<std::size_t>(request.rank)];
  if (request.source == op::any_source) {
    for (std::uint32_t m = rank.first_visible; m != none; m = messages[m].next_visible) {
      if (!accepts(request, messages[m])) continue;
      if (messages[m].visible <= now) return match(index, m);
      announce(m);
    }
    request.posted = true;
    return rank.wildcards.append(requests, index);
  }
  const std::uint32_t found = first_unexpected(rank, request);
  // A message whose envelope is still on its way belongs to an earlier receive of any source, if one accepts it.
  const bool free = found != none && (messages[found].visible <= now || first_wildcard(rank, messages[found]) == none);
  if (free) return match(index, found);
  request.posted = true;
  rank.posted.append(requests, index);
}

/// A receive of any source took a message: receives of that source that stood behind it may now take theirs.
void Simulation::State::rematch(std::int32_t rank_index, Context context, std::int32_t source) {
  RankState& rank = ranks[static_cast<std::size_t>(rank_index)];
  std::uint32_t message = none;
  const auto can_take = [&](const Request& request) {
    if (request.context != context || request.source != source) return false;
    message = first_unexpected(rank, request);
    if (message == none) return false;
    const std::uint32_t wildcard = first_wildcard(rank, messages[message]);
    return wildcard == none || requests[wildcard].order > request.order;
  };
  for (;;) {
    const std::uint32_t request = rank.posted.find(requests, context, source, can_take);
    if (request == none) return;
    match(request, message);
  }
}

void Simulation::State::match(std::uint32_t request_index, std::uint32_t message_index) {
  Request& request = requests[request_index];
  if (request.kind == Request::Kind::Partitioned) return match_partition(request_index, message_index);
  Message& message = messages[message_index];
  RankState& rank = ranks[static_cast<std::size_t>(message.dest)];
  if (request.posted) {
    if (request.source == op::any_source) {
      rank.wildcards.remove(requests, request_index);
    } else {
      rank.posted.remove(requests, request_index);
    }
    request.posted = false;
  }
  if (message.queued) dequeue(message_index);
  request.matched_source = message.source;
  request.matched_tag = message.tag;
  request.sequence = message.sequence;
  request.bytes = message.bytes;
  request.overhead = message.recv_overhead;
  message.recv_request = request_index;
  if (!starts_at_once(message.protocol)) return answer_rts(message_index);
  if (message.protocol == network::Protocol::Optimistic && now > message.visible) {
    message.dropped = true;
    if (message.arrived) fetch_dropped(message_index);
    return;
  }
  if (message.arrived) {
    complete(request_index);
    release_message(message_index);
  }
}

void Simulation::State::transfer_ended(std::uint32_t index) {
  Message& message = messages[index];
  handle_frames(message);
  if (message.one_sided != none) {
    const std::uint32_t operation = message.one_sided;
    messages.give_back(index);
    return leg_ended(operation);
  }
  message.arrived = true;
  if (message.protocol == network::Protocol::Optimistic && !message.fetched) {
    if (message.dropped) return fetch_dropped(index);
    if (message.recv_request == none) return;  // whoever takes it has to fetch it
  }
  release_sender(index);
  if (message.recv_request == none) return;
  if (requests[message.recv_request].kind == Request::Kind::Partitioned) {
    partition_arrived(message.recv_request, message);
  } else {
    complete(message.recv_request);
  }
  release_message(index);
}

/// The data of an optimistic message came when no receive was posted: now that one is, they are sent again. What was
/// dropped has left the links by then.
void Simulation::State::fetch_dropped(std::uint32_t index) {
  messages[index].arrived = false;
  messages[index].fetched = true;
  start_transfer(index, now);
}

/// The sender of a synchronous message need not wait for it any longer.
void Simulation::State::release_sender(std::uint32_t index) {
  const std::uint32_t request = std::exchange(messages[index].send_request, none);
  if (request != none) complete(request);
}

/// Frees a message that is matched and there, unless its envelope is still to come.
void Simulation::State::release_message(std::uint32_t index) {
  const Message& message = messages[index];
  if (message.arrived && message.recv_request != none && !message.announced) messages.give_back(index);
}

}  // namespace orrery::kernel
