// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/one_sided_operations.hpp"

#include "base/error.hpp"

namespace orrery::kernel {

OneSidedOperations::OneSidedOperations(Clock& clock, const Hosts& hosts, Cursors& cursors, Profiles& profiles,
                                       Messages& messages, Requests& requests, Transfers& transfers,
                                       transport::Transport& transport, op::Streams& streams)
    : clock_(clock),
      hosts_(hosts),
      cursors_(cursors),
      profiles_(profiles),
      messages_(messages),
      requests_(requests),
      transfers_(transfers),
      transport_(transport),
      streams_(streams) {}

void OneSidedOperations::begin(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  const op::Operation& operation = *cursor.current;
  if (cursor.frame != none) bad_stream(cursor, "a one-sided operation inside a collective algorithm");
  cursors_.check_rank(cursor, "a one-sided operation on", operation.peer);
  const OneSidedIndex index = operations_.take();
  OneSided& access = operations_[index];
  access.kind = operation.kind;
  access.origin = cursor.rank;
  access.target = operation.peer;
  access.window = operation.comm;
  access.bytes = operation.bytes;
  access.effect = operation.element;
  access.begun = messages_.sent();
  access.epoch = counted(cursor, operation.request);
  if (operation.tag != 0) access.own = counted(cursor, static_cast<op::RequestId>(operation.tag));
  if (operation.kind == op::Kind::Accumulate || operation.kind == op::Kind::GetAccumulate) {
    Request& epoch = requests_[access.epoch];
    (epoch.last_ordered == none ? epoch.first_ordered : operations_[epoch.last_ordered].next) = index;
    epoch.last_ordered = index;
  }
  profiles_.count_sent(cursor.rank, operation.routine, operation.bytes);

  const Bytes outward = operation.kind == op::Kind::Get ? Bytes{} : operation.bytes;
  start_leg(index, access.origin, access.target, outward);
  cursor.clock += transport_.cost(hosts_.place(access.origin), hosts_.place(access.target), outward).send_overhead;
  cursors_.go_on(cursor);
}

/// The request `id`, which counts one operation more.
RequestIndex OneSidedOperations::counted(Cursor& cursor, op::RequestId id) {
  RequestIndex& index = requests_.slot(cursor, id);
  if (index == none) {
    index = requests_.take(cursor, Request::Kind::OneSided);
    Request& request = requests_[index];
    request.peer = cursor.current->peer;
    request.context = point_to_point_context(cursor.current->comm);
  }
  Request& request = requests_[index];
  if (request.kind != Request::Kind::OneSided) bad_stream(cursor, concat("request ", id, " is in use"));
  request.complete = false;
  ++request.pending;
  return index;
}

void OneSidedOperations::start_leg(OneSidedIndex index, std::int32_t from, std::int32_t to, Bytes bytes) {
  const MessageIndex message_index = messages_.send(from, bytes);
  Message& message = messages_[message_index];
  message.one_sided = index;
  message.dest = to;
  message.sent = clock_.now;
  transfers_.start(message_index, clock_.now);
}

void OneSidedOperations::leg_ended(OneSidedIndex index) {
  OneSided& access = operations_[index];
  if (access.leg == OneSided::Leg::Reply) return finish(index);
  access.arrived = true;
  switch (access.kind) {
    case op::Kind::Put: return acknowledge(index);
    case op::Kind::Get: return reply_leg(index);
    default: return take_effects(access.epoch);
  }
}

/// Lets those operations of one origin on one target take effect that have arrived and have none before them.
void OneSidedOperations::take_effects(RequestIndex epoch_index) {
  Request& epoch = requests_[epoch_index];
  while (epoch.first_ordered != none && operations_[epoch.first_ordered].arrived) {
    const OneSidedIndex index = epoch.first_ordered;
    const OneSided& access = operations_[index];
    epoch.first_ordered = access.next;
    if (epoch.first_ordered == none) epoch.last_ordered = none;
    streams_.take_effect(WorldRank{access.origin}, access.effect);
    if (access.kind == op::Kind::GetAccumulate) {
      reply_leg(index);
    } else {
      acknowledge(index);
    }
  }
}

void OneSidedOperations::reply_leg(OneSidedIndex index) {
  OneSided& access = operations_[index];
  access.leg = OneSided::Leg::Reply;
  start_leg(index, access.target, access.origin, access.bytes);
}

void OneSidedOperations::acknowledge(OneSidedIndex index) {
  OneSided& access = operations_[index];
  access.leg = OneSided::Leg::Reply;
  const Duration latency = transport_.cost(hosts_.place(access.target), hosts_.place(access.origin), Bytes{}).latency;
  clock_.queue.push(Event::one_sided(clock_.now + latency, index, access.begun));
}

void OneSidedOperations::finish(OneSidedIndex index) {
  const OneSided access = operations_[index];
  operations_.give_back(index);
  for (const RequestIndex request : {access.epoch, access.own}) {
    if (request != none && --requests_[request].pending == 0) requests_.complete(request);
  }
}

}  // namespace orrery::kernel
