// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/sending.hpp"

#include <algorithm>

namespace orrery::kernel {

Sending::Sending(const Clock& clock, const Hosts& hosts, Cursors& cursors, Profiles& profiles, Frames& frames,
                 Messages& messages, Requests& requests, MessageHandling& handling, Transfers& transfers,
                 Delivery& delivery, transport::Transport& transport, std::size_t ranks)
    : clock_(clock),
      hosts_(hosts),
      cursors_(cursors),
      profiles_(profiles),
      frames_(frames),
      messages_(messages),
      requests_(requests),
      handling_(handling),
      transfers_(transfers),
      delivery_(delivery),
      transport_(transport),
      sends_(ranks) {}

void Sending::begin(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  const op::Operation& operation = *cursor.current;
  const MessageIndex index = new_message(cursor);
  Message& message = messages_[index];
  const Way way{hosts_.place(cursor.rank), hosts_.place(message.dest)};
  SendPlan plan = plan_send(operation, way, std::max(clock_.now, cursor.clock), transport_);
  plan.visible += transport_.connect({index.value, way.from, way.to, cursor.rank, message.dest}, plan.posted);
  message.follow(plan);
  cursor.clock = handling_.end(node::Side::Send, cursor, message.dest, plan.send_overhead);

  const RequestIndex request = open_request(cursor, index, plan);
  if (plan.data_leave_at_once()) transfers_.start(index, message.sent);
  const bool waits = operation.has(op::Blocking) && plan.sender_waits();
  if (waits) requests_.wait_for(cursor_index, request);  // before it is delivered, which may complete it
  delivery_.deliver(index);
  if (!waits) cursors_.go_on(cursor);
}

/// The message of the cursor's present operation, with its envelope; it is counted as sent.
MessageIndex Sending::new_message(const Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  const MessageIndex index = messages_.send(cursor.rank, operation.bytes);
  Message& message = messages_[index];
  message.tag = operation.tag;
  op::RoutineId routine = operation.routine;
  if (cursor.frame != none) {
    const Frame& frame = frames_[cursor.frame];
    message.context = frame.context;
    message.dest = frame.world(operation.peer);
    AlgorithmUse& use = frames_.uses[frame.use];
    ++use.messages;
    use.bytes += operation.bytes;
    routine = frame.routine;
  } else {
    const bool partition = operation.kind == op::Kind::Psend;
    message.context =
        partition ? partitioned_context(operation.comm, operation.algorithm) : point_to_point_context(operation.comm);
    message.dest = operation.peer;
    message.sequence =
        partition ? static_cast<std::uint32_t>(operation.element) : sends_[static_cast<std::size_t>(cursor.rank)]++;
    cursors_.check_rank(cursor, "a send to", message.dest);
  }
  profiles_.count_sent(cursor.rank, routine, operation.bytes);
  return index;
}

/// The request of a send, if somebody waits for it or asks about it: the sender, or the request that it is part of.
/// @return none where nobody does
RequestIndex Sending::open_request(Cursor& cursor, MessageIndex message_index, const SendPlan& plan) {
  const op::Operation& operation = *cursor.current;
  Message& message = messages_[message_index];
  const bool blocking = operation.has(op::Blocking);
  const RequestIndex join = operation.has(op::Part) ? requests_.active(cursor, operation.request) : none;
  if (operation.kind == op::Kind::Psend) message.last_partition = join == none || --requests_[join].pending == 0;
  const bool has_request = plan.sender_waits() || (!blocking && join == none);
  if (!has_request) {
    if (join != none) requests_.finish_part(join);
    return none;
  }
  const RequestIndex index = requests_.take(cursor, Request::Kind::Send);
  Request& request = requests_[index];
  request.context = message.context;
  request.tag = message.tag;
  request.peer = message.dest;
  request.bytes = message.bytes;
  request.complete = !plan.request_lasts;
  request.join = join;
  if (!blocking && join == none) requests_.slot(cursor, operation.request) = index;
  if (plan.request_lasts) message.send_request = index;
  return index;
}

}  // namespace orrery::kernel
