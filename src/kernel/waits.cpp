// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/waits.hpp"

#include <algorithm>
#include <utility>

namespace orrery::kernel {

Waits::Waits(const Clock& clock, Cursors& cursors, Requests& requests, Matching& matching, Delivery& delivery,
             Polling& polling)
    : clock_(clock),
      cursors_(cursors),
      requests_(requests),
      matching_(matching),
      delivery_(delivery),
      polling_(polling) {}

bool Waits::is_complete(const Cursor& cursor, op::RequestId id) {
  return requests_[requests_.active(cursor, id)].complete;
}

void Waits::begin_all(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  cursor.remaining = 0;
  for (const op::RequestId id : cursor.current->requests) {
    Request& request = requests_[requests_.active(cursor, id)];
    if (request.complete) {
      requests_.pay(cursor, request);
    } else {
      request.waiter = cursor_index;
      ++cursor.remaining;
    }
  }
  if (cursor.remaining == 0) return resume_all(cursor);
  cursor.state = Cursor::State::Waits;
}

void Waits::begin_some(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  const auto ids = cursor.current->requests;
  if (ids.empty()) bad_stream(cursor, "a wait for one of no requests");
  if (std::any_of(ids.begin(), ids.end(), [&](op::RequestId id) { return is_complete(cursor, id); }))
    return resume_some(cursor);
  for (const op::RequestId id : ids) requests_[requests_.slot(cursor, id)].waiter = cursor_index;
  cursor.remaining = 0;
  cursor.state = Cursor::State::Waits;
}

void Waits::resume_all(Cursor& cursor) {
  for (const op::RequestId id : cursor.current->requests) requests_.consume(cursor, id);
  cursors_.go_on(cursor);
}

void Waits::resume_some(Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  for (const op::RequestId id : operation.requests) requests_[requests_.active(cursor, id)].waiter = none;
  op::Reply reply;
  reply.completed = collect(cursor, operation.kind == op::Kind::WaitAny);
  if (operation.position != nullptr) *operation.position = reply.completed.front();
  cursors_.go_on(cursor);
  cursors_.answer(cursor, reply);
}

void Waits::resume_blocking(Cursor& cursor) {
  const RequestIndex index = std::exchange(cursor.own_request, none);
  const Request request = requests_[index];
  requests_.give_back(index);
  cursors_.go_on(cursor);
  if (request.wants_match) cursors_.answer(cursor, match_of(request));
}

/// Consumes the complete requests of the present operation (or only the first); @return their positions.
std::span<const std::uint32_t> Waits::collect(Cursor& cursor, bool only_one) {
  positions_.clear();
  const auto ids = cursor.current->requests;
  const bool peek = cursor.current->has(op::Peek);
  for (std::uint32_t position = 0; position < ids.size(); ++position) {
    if (!is_complete(cursor, ids[position])) continue;
    positions_.push_back(position);
    if (!peek) requests_.consume(cursor, ids[position]);
    if (only_one) break;
  }
  return positions_;
}

void Waits::begin_test(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  const op::Operation& operation = *cursor.current;
  const auto ids = operation.requests;
  op::Reply reply;
  if (operation.kind == op::Kind::TestAll) {
    reply.flag = std::all_of(ids.begin(), ids.end(), [&](op::RequestId id) { return is_complete(cursor, id); });
    if (reply.flag) reply.completed = collect(cursor, false);
  } else {
    reply.completed = collect(cursor, operation.kind == op::Kind::TestAny);
    reply.flag = !reply.completed.empty();
  }
  if (!reply.flag) polling_.found_nothing(cursor_index);
  cursors_.go_on(cursor);
  cursors_.answer(cursor, reply);
}

void Waits::wake(Cursor& cursor) {
  node::Side side = node::Side::Woken;
  const auto take = [&](Request& request) {
    if (!request.complete || request.paid) return;
    requests_.pay(cursor, request, std::exchange(side, node::Side::Receive));
    cursor.clock = std::max(cursor.clock, clock_.now);
  };
  if (cursor.own_request != none) {
    take(requests_[cursor.own_request]);
  } else {
    for (const op::RequestId id : cursor.current->requests) take(requests_[requests_.slot(cursor, id)]);
  }
  cursor.state = cursor.remaining == 0 ? Cursor::State::Resumes : Cursor::State::Waits;
}

/// A receive that no message has met can be withdrawn. A send cannot (MPI-4.1, section 3.8.4, allows that), but it
/// waits no longer for a receive: it is complete, and its message stays to be received. (Where a receive has it
/// already, the sender waits for its transfer only.)
void Waits::begin_cancel(Cursor& cursor) {
  op::Reply reply;
  for (const op::RequestId id : cursor.current->requests) {
    const RequestIndex index = requests_.active(cursor, id);
    const Request& request = requests_[index];
    if (request.kind == Request::Kind::Send && !request.complete) {
      const MessageIndex message = matching_.unexpected_of(index);
      if (message != none) delivery_.release_sender(message);
    }
    if (withdraw(cursor, index)) reply.flag = true;
  }
  cursors_.go_on(cursor);
  cursors_.answer(cursor, reply);
}

bool Waits::withdraw(const Cursor& cursor, RequestIndex index) {
  Request& request = requests_[index];
  if (!request.posted) return false;
  matching_.remove_posted(index);
  request.cancelled = true;
  const Context context = request.context;
  requests_.complete(index);
  // Messages on their way may have been kept for it: look at them again when they arrive.
  matching_.announce_context(cursor.rank, context);
  return true;
}

}  // namespace orrery::kernel
