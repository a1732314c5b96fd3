// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/sending.hpp"

#include <algorithm>

#include "kernel/state.hpp"

namespace orrery::kernel {

using network::Protocol;

Protocol protocol_of(const op::Operation& send, Protocol by_size) {
  const bool optimistic = by_size == Protocol::Optimistic;
  // The sender of a buffered message waits for nobody: its data are in the buffer of the program.
  if (send.mode == op::Mode::Buffered)
    return optimistic || by_size == Protocol::Synchronous ? Protocol::Detached : by_size;
  // A partition is not sent twice.
  if (optimistic) return send.kind == op::Kind::Psend ? Protocol::Synchronous : Protocol::Optimistic;
  return send.mode == op::Mode::Synchronous ? Protocol::Synchronous : by_size;
}

namespace {

SendPlan::Until waits_until(const op::Operation& send, Protocol protocol, Way way, SimTime now,
                            transport::Transport& transport) {
  if (protocol == Protocol::Synchronous || protocol == Protocol::Optimistic) return SendPlan::Until::DataSent;
  const bool needs_room = protocol == Protocol::Asynchronous && send.mode != op::Mode::Buffered;
  if (needs_room && !transport.has_room(way.from, way.to, send.bytes, now)) return SendPlan::Until::RoomInBuffer;
  return SendPlan::Until::Handled;
}

}  // namespace

SendPlan plan_send(const op::Operation& send, Way way, SimTime now, SimTime posted, transport::Transport& transport) {
  const network::Cost cost = transport.cost(way.from, way.to, send.bytes);
  SendPlan plan;
  plan.protocol = protocol_of(send, cost.protocol);
  plan.posted = posted;
  plan.visible = posted + cost.latency;
  plan.send_overhead = cost.send_overhead;
  plan.recv_overhead = cost.recv_overhead;
  if (!plan.data_leave_at_once()) {
    plan.rts_delay = transport.rts_delay(way.from, way.to, posted);
    plan.visible += plan.rts_delay;
  }
  plan.until = waits_until(send, plan.protocol, way, now, transport);
  // The request of a buffered send is about its buffer, which the message leaves when its transfer ends.
  plan.request_lasts = plan.sender_waits() || (send.mode == op::Mode::Buffered && !send.has(op::Blocking));
  return plan;
}

void Simulation::State::begin_send(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  const std::uint32_t index = new_message(cursor);
  Message& message = messages[index];
  const Way way{place(cursor.rank), place(message.dest)};
  const SendPlan plan = plan_send(operation, way, now, std::max(now, cursor.clock), transport);
  message.follow(plan);
  cursor.clock = handle(Side::Send, cursor, message.dest, plan.send_overhead);

  const std::uint32_t request = open_send_request(cursor, index, plan);
  if (plan.data_leave_at_once()) start_transfer(index, message.sent);
  const bool waits = operation.has(op::Blocking) && plan.sender_waits();
  if (waits) wait_for(cursor_index, request);  // before it is delivered, which may complete it
  deliver(index);
  if (!waits) go_on(cursor);
}

/// The message of the cursor's present operation, with its envelope; it is counted as sent.
std::uint32_t Simulation::State::new_message(const Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  const std::uint32_t index = messages.take();
  Message& message = messages[index];
  message.source = cursor.rank;
  message.tag = operation.tag;
  message.bytes = operation.bytes;
  message.order = sent++;
  sent_bytes += operation.bytes;
  op::RoutineId routine = operation.routine;
  if (cursor.frame != none) {
    const Frame& frame = frames[cursor.frame];
    message.context = frame.context;
    message.dest = frame.world(operation.peer);
    AlgorithmUse& use = algorithm_uses[frame.use];
    ++use.messages;
    use.bytes += operation.bytes;
    routine = frame.routine;
  } else {
    const bool partition = operation.kind == op::Kind::Psend;
    message.context =
        partition ? partitioned_context(operation.comm, operation.algorithm) : point_to_point_context(operation.comm);
    message.dest = operation.peer;
    message.sequence = partition ? static_cast<std::uint32_t>(operation.element)
                                 : ranks[static_cast<std::size_t>(cursor.rank)].sends++;
    check_rank(cursor, "a send to", message.dest);
  }
  count_sent(cursor.rank, routine, operation.bytes);
  return index;
}

/// The request of a send, if somebody waits for it or asks about it: the sender, or the request that it is part of.
/// @return none where nobody does
std::uint32_t Simulation::State::open_send_request(Cursor& cursor, std::uint32_t message_index, const SendPlan& plan) {
  const op::Operation& operation = *cursor.current;
  Message& message = messages[message_index];
  const bool blocking = operation.has(op::Blocking);
  const std::uint32_t join = operation.has(op::Part) ? request_of(cursor, operation.request) : none;
  if (operation.kind == op::Kind::Psend) message.last_partition = join == none || --requests[join].pending == 0;
  const bool has_request = plan.sender_waits() || (!blocking && join == none);
  if (!has_request) {
    if (join != none) finish_part(join);
    return none;
  }
  const std::uint32_t index = requests.take();
  Request& request = requests[index];
  request.kind = Request::Kind::Send;
  request.rank = cursor.rank;
  request.context = message.context;
  request.tag = message.tag;
  request.peer = message.dest;
  request.bytes = message.bytes;
  request.complete = !plan.request_lasts;
  request.join = join;
  if (!blocking && join == none) slot(cursor, operation.request) = index;
  if (plan.request_lasts) message.send_request = index;
  return index;
}

}  // namespace orrery::kernel
