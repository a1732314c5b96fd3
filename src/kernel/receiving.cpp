// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/receiving.hpp"

namespace orrery::kernel {

Receiving::Receiving(const Clock& clock, Cursors& cursors, const Threads& threads, Frames& frames, Messages& messages,
                     Requests& requests, Matching& matching, Delivery& delivery)
    : clock_(clock),
      cursors_(cursors),
      threads_(threads),
      frames_(frames),
      messages_(messages),
      requests_(requests),
      matching_(matching),
      delivery_(delivery) {}

void Receiving::begin(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  const op::Operation& operation = *cursor.current;
  const RequestIndex request = open_request(cursor);
  // In place before the match, which may complete it.
  if (operation.has(op::Blocking)) {
    requests_.wait_for(cursor_index, request);
  } else {
    cursors_.go_on(cursor);
  }
  if (operation.has(op::Take)) {
    receive_taken(cursor, operation, request);
  } else {
    delivery_.post(request);
  }
}

RequestIndex Receiving::open_request(const Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  const Frame* frame = cursor.frame == none ? nullptr : &frames_[cursor.frame];
  if (frame == nullptr && operation.peer != op::any_source)
    cursors_.check_rank(cursor, "a receive from", operation.peer);
  const RequestIndex index = requests_.take(cursor, Request::Kind::Receive);
  Request& request = requests_[index];
  request.tag = operation.tag;
  request.bytes = operation.bytes;
  request.order = matching_.next_order();
  request.posted_at = clock_.now;
  request.wants_match = operation.has(op::WantsMatch);
  request.context = frame != nullptr ? frame->context : point_to_point_context(operation.comm);
  request.source = frame != nullptr ? frame->world(operation.peer) : operation.peer;
  request.peer = request.source;
  if (operation.has(op::Part)) {
    request.join = requests_.active(cursor, operation.request);
    requests_[request.join].wants_match |= request.wants_match;
    requests_[request.join].peer = request.source;
  } else if (!operation.has(op::Blocking)) {
    requests_.slot(cursor, operation.request) = index;
  }
  return index;
}

/// The message is one that a matched probe has taken (MPI_Mrecv).
void Receiving::receive_taken(const Cursor& cursor, const op::Operation& operation, RequestIndex request) {
  const MessageIndex message =
      matching_.untake(cursor.rank, operation.peer, static_cast<std::uint32_t>(operation.element));
  if (message == none) bad_stream(cursor, "a matched receive of a message that no probe has taken");
  delivery_.meet(request, message);
}

bool Receiving::takes_what_is_there(const Cursor& cursor) const {
  if (!cursors_.goes_ahead(cursor) || cursor.frame != none) return false;
  const op::Operation& operation = *cursor.current;
  if (operation.peer == op::any_source || operation.has(op::Part) || operation.has(op::Take)) return false;
  if (threads_.wait_for_answers(cursor.rank) || threads_.run(cursor.rank)) return false;
  const MessageIndex found = matching_.first_unexpected(cursor.rank, wanted_by(operation));
  if (found == none) return false;
  const Message& message = messages_[found];
  return message.protocol == network::Protocol::Asynchronous && message.visible <= clock_.now &&
         !matching_.any_source_accepts(message);
}

}  // namespace orrery::kernel
