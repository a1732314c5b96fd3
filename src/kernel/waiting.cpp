// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "kernel/state.hpp"

/// Waits, tests and probes: how a cursor learns that requests are complete.
///
/// The overhead T3 of a receive is processor time of the receiver: it is charged when the rank waits for the request,
/// one message after the other, in the order in which they arrive.
namespace orrery::kernel {

/// Where the cursor keeps the request of this id: the rank's table, or that of the collective it is inside of.
std::uint32_t& Simulation::State::slot(Cursor& cursor, op::RequestId id) {
  constexpr op::RequestId most = 1u << 28;
  std::vector<std::uint32_t>& table =
      cursor.frame != none ? frames[cursor.frame].requests : ranks[static_cast<std::size_t>(cursor.rank)].requests;
  if (id == 0 || id > most) bad_stream(cursor, concat("request ", id, " is not one that a rank can have"));
  if (id >= table.size()) table.resize(id + 1, none);
  return table[id];
}

std::uint32_t Simulation::State::request_of(Cursor& cursor, op::RequestId id) {
  const std::uint32_t index = slot(cursor, id);
  if (index == none) bad_stream(cursor, concat("request ", id, " is not active"));
  return index;
}

/// The request completes now.
void Simulation::State::complete(std::uint32_t index) {
  Request& request = requests[index];
  request.complete = true;
  if (request.join != none) {
    if (request.kind == Request::Kind::Receive) finish_receive_part(request);
    const std::uint32_t join = request.join;
    requests.give_back(index);
    return finish_part(join);
  }
  if (request.detached) return requests.give_back(index);
  if (request.waiter == none) return;
  const std::uint32_t cursor_index = request.waiter;
  Cursor& cursor = cursors[cursor_index];
  if (cursor.state == Cursor::State::Wakes) {  // handles it, too, when it is its turn
    request.waiter = none;
    --cursor.remaining;
    return;
  }
  const bool slept = cursor.clock < now;
  cursor.clock = std::max(cursor.clock, now);
  if (cursor.state != Cursor::State::Waits) return;  // already about to resume at this instant
  cursor.from_afar = processors.shared() && !processors.has(cursor_index) && request.matched_source >= 0 &&
                     host(cursor.rank) != host(request.matched_source);
  if (cursor.remaining != 0) {  // waits for all
    request.waiter = none;
    if (processors.shared() && !processors.has(cursor_index)) {
      --cursor.remaining;
      cursor.state = Cursor::State::Wakes;
      return schedule(cursor_index);
    }
    pay(cursor, request, slept ? Side::Woken : Side::Receive);
    if (--cursor.remaining != 0) return;
  }
  cursor.state = Cursor::State::Resumes;
  // One whose own step completes what it waits for goes on in that step: a second visit would find it elsewhere.
  if (cursor_index == stepping) return;
  if (cursor.clock > now && goes_ahead(cursor)) return resumed.push_back(cursor_index);
  schedule(cursor_index);
}

/// A blocking operation waits for its own request.
void Simulation::State::wait_for(std::uint32_t cursor_index, std::uint32_t request) {
  Cursor& cursor = cursors[cursor_index];
  cursor.own_request = request;
  cursor.remaining = 1;
  requests[request].waiter = cursor_index;
  cursor.state = Cursor::State::Waits;
}

void Simulation::State::pay(Cursor& cursor, Request& request, Side side) {
  if (request.paid || request.cancelled) return;
  request.paid = true;
  const bool receives = request.matched_source >= 0;
  cursor.clock =
      receives ? handle(side, cursor, request.matched_source, request.overhead) : cursor.clock + request.overhead;
}

/// The rank has seen that the request is complete: its id is free again.
void Simulation::State::consume(Cursor& cursor, op::RequestId id) {
  const std::uint32_t index = request_of(cursor, id);  // a wait may name it twice, or another thread have taken it
  Request& request = requests[index];
  request.waiter = none;
  pay(cursor, request);
  if (request.wants_match && !request.cancelled) return;  // until Match has asked
  requests.give_back(index);
  slot(cursor, id) = none;
}

void Simulation::State::begin_wait_all(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  cursor.remaining = 0;
  for (const op::RequestId id : cursor.current->requests) {
    const std::uint32_t index = request_of(cursor, id);
    Request& request = requests[index];
    if (request.complete) {
      pay(cursor, request);
    } else {
      request.waiter = cursor_index;
      ++cursor.remaining;
    }
  }
  if (cursor.remaining == 0) return resume(cursor_index);
  cursor.state = Cursor::State::Waits;
}

/// WaitAny and WaitSome.
void Simulation::State::begin_wait_some(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const auto ids = cursor.current->requests;
  if (ids.empty()) bad_stream(cursor, "a wait for one of no requests");
  if (std::any_of(ids.begin(), ids.end(),
                  [&](op::RequestId id) { return requests[request_of(cursor, id)].complete; })) {
    return resume(cursor_index);
  }
  for (const op::RequestId id : ids) requests[slot(cursor, id)].waiter = cursor_index;
  cursor.remaining = 0;
  cursor.state = Cursor::State::Waits;
}

/// What the cursor waited for is there.
void Simulation::State::resume(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  switch (operation.kind) {
    case op::Kind::WaitAll:
      for (const op::RequestId id : operation.requests) consume(cursor, id);
      return go_on(cursor);
    case op::Kind::WaitAny:
    case op::Kind::WaitSome: {
      for (const op::RequestId id : operation.requests) requests[request_of(cursor, id)].waiter = none;
      op::Reply reply;
      reply.completed = collect(cursor, operation.kind == op::Kind::WaitAny);
      if (operation.position != nullptr) *operation.position = reply.completed.front();
      go_on(cursor);
      return answer(cursor, reply);
    }
    case op::Kind::Probe:
      if (!probe_now(cursor)) cursor.state = Cursor::State::Waits;  // an earlier wildcard receive took it
      return;
    case op::Kind::Lock: go_on(cursor); return answer(cursor, {});
    case op::Kind::FileLock: return file_locked(cursor);
    default: {  // a blocking send or receive
      const std::uint32_t index = std::exchange(cursor.own_request, none);
      const Request request = requests[index];
      requests.give_back(index);
      go_on(cursor);
      if (!request.wants_match) return;
      op::Reply reply;
      reply.flag = true;
      reply.source = request.matched_source;
      reply.tag = request.matched_tag;
      reply.sequence = request.sequence;
      reply.bytes = request.bytes;
      return answer(cursor, reply);
    }
  }
}

/// Consumes the complete requests of the present operation (or only the first); @return their positions.
std::span<const std::uint32_t> Simulation::State::collect(Cursor& cursor, bool only_one) {
  positions.clear();
  const auto ids = cursor.current->requests;
  const bool peek = cursor.current->has(op::Peek);
  for (std::uint32_t position = 0; position < ids.size(); ++position) {
    if (!requests[request_of(cursor, ids[position])].complete) continue;
    positions.push_back(position);
    if (!peek) consume(cursor, ids[position]);
    if (only_one) break;
  }
  return positions;
}

void Simulation::State::test(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  const auto ids = operation.requests;
  op::Reply reply;
  if (operation.kind == op::Kind::TestAll) {
    reply.flag = std::all_of(ids.begin(), ids.end(),
                             [&](op::RequestId id) { return requests[request_of(cursor, id)].complete; });
    if (reply.flag) reply.completed = collect(cursor, false);
  } else {
    reply.completed = collect(cursor, operation.kind == op::Kind::TestAny);
    reply.flag = !reply.completed.empty();
  }
  if (!reply.flag) {
    attend(cursor);
    cursor.clock += config.poll_cost;
    pause(cursor_index);
  }
  go_on(cursor);
  answer(cursor, reply);
}

void Simulation::State::probe(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  if (cursor.current->peer != op::any_source) check_rank(cursor, "a probe of", cursor.current->peer);
  if (probe_now(cursor)) return;
  if (cursor.current->kind == op::Kind::Iprobe) {
    attend(cursor);
    cursor.clock += config.poll_cost;
    pause(cursor_index);
    go_on(cursor);
    return answer(cursor, {});
  }
  // Be told when the envelope of a message that is on its way arrives.
  const Queued wanted = wanted_by(*cursor.current);
  const RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  for (std::uint32_t m = rank.first_visible; m != none; m = messages[m].next_visible) {
    if (accepts(wanted, messages[m])) announce(m);
  }
  cursor.state = Cursor::State::Waits;
  if (cursor.thread != 0) ranks[static_cast<std::size_t>(cursor.rank)].probing.push_back(cursor_index);
}

/// Answers a probe if a message that it accepts has arrived.
bool Simulation::State::probe_now(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  const Queued wanted = wanted_by(operation);
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  for (std::uint32_t m = rank.first_visible; m != none; m = messages[m].next_visible) {
    const Message& message = messages[m];
    if (message.visible > now) return false;
    if (!accepts(wanted, message)) continue;
    op::Reply reply;
    reply.flag = true;
    reply.source = message.source;
    reply.tag = message.tag;
    reply.sequence = message.sequence;
    reply.bytes = message.bytes;
    if (operation.has(op::Take)) {
      dequeue(m);
      rank.taken.push_back(m);
    }
    std::erase_if(rank.probing, [&](std::uint32_t index) { return &cursors[index] == &cursor; });
    go_on(cursor);
    answer(cursor, reply);
    return true;
  }
  return false;
}

/// A receive that no message has met can be withdrawn; sends cannot (MPI-4.1, section 3.8.4, allows that).
void Simulation::State::cancel(Cursor& cursor) {
  op::Reply reply;
  for (const op::RequestId id : cursor.current->requests) {
    Request& request = requests[request_of(cursor, id)];
    const std::uint32_t index = slot(cursor, id);
    if (request.kind == Request::Kind::Send && !request.complete) let_go(index);
    if (!request.posted) continue;
    RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
    if (request.source == op::any_source) {
      rank.wildcards.remove(requests, index);
    } else {
      rank.posted.remove(requests, index);
    }
    request.posted = false;
    request.cancelled = true;
    const Context context = request.context;
    complete(index);
    reply.flag = true;
    // Messages on their way may have been kept for it: look at them again when they arrive.
    for (std::uint32_t m = rank.first_visible; m != none; m = messages[m].next_visible) {
      if (messages[m].context == context) announce(m);
    }
  }
  go_on(cursor);
  answer(cursor, reply);
}

/// A send that was cancelled waits no longer for a receive: it is complete, and its message stays to be received.
/// (Where a receive has it already, the sender waits for its transfer only.)
void Simulation::State::let_go(std::uint32_t send) {
  const Request& request = requests[send];
  const RankState& receiver = ranks[static_cast<std::size_t>(request.peer)];
  const auto is_its = [&](const Message& message) { return message.send_request == send; };
  std::uint32_t found = receiver.unexpected.find(messages, request.context, request.rank, is_its);
  for (const std::uint32_t taken : receiver.taken) {
    if (is_its(messages[taken])) found = taken;
  }
  if (found != none) release_sender(found);
}

void Simulation::State::free_request(Cursor& cursor) {
  for (const op::RequestId id : cursor.current->requests) {
    const std::uint32_t index = request_of(cursor, id);
    slot(cursor, id) = none;
    if (requests[index].complete) {
      requests.give_back(index);
    } else {
      requests[index].detached = true;
    }
  }
  go_on(cursor);
}

void Simulation::State::answer_match(Cursor& cursor) {
  std::uint32_t& index = slot(cursor, cursor.current->request);
  if (index == none || !requests[index].complete)
    bad_stream(cursor, "asks for the match of a receive that is not complete");
  const Request& request = requests[index];
  op::Reply reply;
  reply.flag = !request.cancelled;
  reply.source = request.matched_source;
  reply.tag = request.matched_tag;
  reply.sequence = request.sequence;
  reply.bytes = request.bytes;
  requests.give_back(index);
  index = none;
  go_on(cursor);
  answer(cursor, reply);
}

}  // namespace orrery::kernel
