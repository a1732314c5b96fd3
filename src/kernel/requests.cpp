// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/requests.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace orrery::kernel {
namespace {

/// Larger numbers than programs have: a damaged trace must not take all memory for its table.
constexpr op::RequestId most_requests = 1u << 28;

}  // namespace

Requests::Requests(const Clock& clock, const Hosts& hosts, Cursors& cursors, Frames& frames, Turns& turns,
                   VirtualProcessors& processors, MessageHandling& handling, std::size_t ranks)
    : clock_(clock),
      hosts_(hosts),
      cursors_(cursors),
      frames_(frames),
      turns_(turns),
      processors_(processors),
      handling_(handling),
      of_ranks_(ranks) {}

RequestIndex& Requests::new_slot(const Cursor& cursor, Table& table, op::RequestId id) {
  if (id == 0 || id > most_requests) bad_stream(cursor, concat("request ", id, " is not one that a rank can have"));
  table.resize(id + 1, none);
  return table[id];
}

void Requests::refuse_inactive(const Cursor& cursor, op::RequestId id) {
  bad_stream(cursor, concat("request ", id, " is not active"));
}

const Request* Requests::first_incomplete(const Cursor& cursor, std::span<const op::RequestId> ids) const {
  const Table& table =
      cursor.frame != none ? frames_[cursor.frame].requests : of_ranks_[static_cast<std::size_t>(cursor.rank)];
  for (const op::RequestId id : ids) {
    if (id < table.size() && table[id] != none && !pool_[table[id]].complete) return &pool_[table[id]];
  }
  return nullptr;
}

void Requests::complete(RequestIndex index) {
  Request& request = pool_[index];
  request.complete = true;
  if (request.join != none) {
    if (request.kind == Request::Kind::Receive) finish_receive_part(request);
    const RequestIndex join = request.join;
    pool_.give_back(index);
    return finish_part(join);
  }
  if (request.detached) return pool_.give_back(index);
  if (request.waiter != none) resume_waiter(request.waiter, request);
}

void Requests::resume_waiter(CursorIndex index, Request& request) {
  Cursor& cursor = cursors_[index];
  if (cursor.state == Cursor::State::Wakes) {  // handles it, too, when it is its turn
    request.waiter = none;
    --cursor.remaining;
    return;
  }
  const bool slept = cursor.clock < clock_.now;
  cursor.clock = std::max(cursor.clock, clock_.now);
  if (cursor.state != Cursor::State::Waits) return;  // already about to resume at this instant
  const bool lacks_processor = turns_.shared() && !turns_.has(index);
  const bool from_afar = request.matched_source >= 0 && !hosts_.same(cursor.rank, request.matched_source);
  cursor.from_afar = lacks_processor && from_afar;
  if (slept && from_afar) cursor.clock += processors_.wake_delay(cursor.rank);
  if (cursor.remaining != 0) {  // waits for all
    request.waiter = none;
    if (lacks_processor) {
      --cursor.remaining;
      cursor.state = Cursor::State::Wakes;
      return cursors_.schedule(index);
    }
    pay(cursor, request, slept ? node::Side::Woken : node::Side::Receive);
    if (--cursor.remaining != 0) return;
  }
  cursors_.resume(index);
}

void Requests::pay(Cursor& cursor, Request& request, node::Side side) {
  if (request.paid || request.cancelled) return;
  request.paid = true;
  const bool receives = request.matched_source >= 0;
  cursor.clock = receives ? handling_.end(side, cursor, request.matched_source, request.overhead)
                          : processors_.back(cursor.rank, cursor.clock + request.overhead);
}

void Requests::consume(Cursor& cursor, op::RequestId id) {
  RequestIndex& kept = slot(cursor, id);
  if (kept == none) refuse_inactive(cursor, id);  // a wait may name it twice, or another thread have taken it
  Request& request = pool_[kept];
  request.waiter = none;
  pay(cursor, request);
  if (request.wants_match && !request.cancelled) return;  // until Match has asked
  pool_.give_back(std::exchange(kept, none));
}

void Requests::wait_for(CursorIndex cursor_index, RequestIndex request) {
  Cursor& cursor = cursors_[cursor_index];
  cursor.own_request = request;
  cursor.remaining = 1;
  pool_[request].waiter = cursor_index;
  cursor.state = Cursor::State::Waits;
}

/// A receive that is a part: what is asked of it, and what it costs, is now asked of the whole.
void Requests::finish_receive_part(const Request& part) {
  Request& join = pool_[part.join];
  join.overhead += part.overhead;
  join.matched_source = part.matched_source;
  join.matched_tag = part.matched_tag;
  join.sequence = part.sequence;
  join.bytes = part.bytes;
}

void Requests::begin_join(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  if (operation.peer != op::any_source) cursors_.check_rank(cursor, "a message in parts with", operation.peer);
  const RequestIndex index = take(cursor, Request::Kind::Join);
  Request& request = pool_[index];
  request.context = point_to_point_context(operation.comm);
  request.peer = operation.peer;
  request.tag = operation.tag;
  request.parts = request.pending = static_cast<std::uint32_t>(operation.bytes.count);
  for (const op::RequestId id : operation.requests) {
    const RequestIndex part = active(cursor, id);
    slot(cursor, id) = none;
    if (pool_[part].complete) {
      pool_.give_back(part);
    } else {
      pool_[part].join = index;
      ++request.parts;
    }
  }
  request.complete = request.parts == 0;
  slot(cursor, operation.request) = index;
  cursors_.go_on(cursor);
}

void Requests::begin_free(Cursor& cursor) {
  for (const op::RequestId id : cursor.current->requests) {
    const RequestIndex index = active(cursor, id);
    slot(cursor, id) = none;
    if (pool_[index].complete) {
      pool_.give_back(index);
    } else {
      pool_[index].detached = true;
    }
  }
  cursors_.go_on(cursor);
}

void Requests::begin_match(Cursor& cursor) {
  RequestIndex& index = slot(cursor, cursor.current->request);
  if (index == none || !pool_[index].complete)
    bad_stream(cursor, "asks for the match of a receive that is not complete");
  op::Reply reply = match_of(pool_[index]);
  reply.flag = !pool_[index].cancelled;
  pool_.give_back(index);
  index = none;
  cursors_.go_on(cursor);
  cursors_.answer(cursor, reply);
}

op::Reply match_of(const Request& request) {
  op::Reply reply;
  reply.flag = true;
  reply.source = request.matched_source;
  reply.tag = request.matched_tag;
  reply.sequence = request.sequence;
  reply.bytes = request.bytes;
  return reply;
}

}  // namespace orrery::kernel
