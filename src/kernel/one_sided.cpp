// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "kernel/state.hpp"

/// One-sided communication in time: transfers in which the target takes no part.
///
/// A put is a transfer of its bytes, begun at once whatever their number, and an acknowledgement, which takes the
/// route's latency; a get is an empty message there and the bytes back. The origin pays the overhead of a send (T1) for
/// what it sends; nobody pays that of a receive, since no processor takes part. An accumulate takes effect when it
/// arrives, though not before those that its origin called earlier for the same target (MPI-4.1, section 12.7.2); then
/// it is acknowledged as a put is, or answered as a get is.
namespace orrery::kernel {

void Simulation::State::begin_one_sided(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  if (cursor.frame != none) bad_stream(cursor, "a one-sided operation inside a collective algorithm");
  check_rank(cursor, "a one-sided operation on", operation.peer);
  const std::uint32_t index = one_sided.take();
  OneSided& access = one_sided[index];
  access.kind = operation.kind;
  access.origin = cursor.rank;
  access.target = operation.peer;
  access.window = operation.comm;
  access.bytes = operation.bytes;
  access.effect = operation.element;
  access.begun = sent;
  access.epoch = counted(cursor, operation.request);
  if (operation.tag != 0) access.own = counted(cursor, static_cast<op::RequestId>(operation.tag));
  if (operation.kind == op::Kind::Accumulate || operation.kind == op::Kind::GetAccumulate) {
    Request& epoch = requests[access.epoch];
    (epoch.last_ordered == none ? epoch.first_ordered : one_sided[epoch.last_ordered].next) = index;
    epoch.last_ordered = index;
  }
  count_sent(cursor.rank, operation.routine, operation.bytes);

  const Bytes outward = operation.kind == op::Kind::Get ? Bytes{} : operation.bytes;
  start_leg(index, access.origin, access.target, outward);
  cursor.clock += transport.cost(place(access.origin), place(access.target), outward).send_overhead;
  go_on(cursor);
}

/// The request `id`, which counts one operation more.
std::uint32_t Simulation::State::counted(Cursor& cursor, op::RequestId id) {
  std::uint32_t& index = slot(cursor, id);
  if (index == none) {
    index = requests.take();
    Request& request = requests[index];
    request.kind = Request::Kind::OneSided;
    request.rank = cursor.rank;
    request.peer = cursor.current->peer;
    request.context = point_to_point_context(cursor.current->comm);
  }
  Request& request = requests[index];
  if (request.kind != Request::Kind::OneSided) bad_stream(cursor, concat("request ", id, " is in use"));
  request.complete = false;
  ++request.pending;
  return index;
}

void Simulation::State::start_leg(std::uint32_t index, std::int32_t from, std::int32_t to, Bytes bytes) {
  const std::uint32_t message_index = messages.take();
  Message& message = messages[message_index];
  message.one_sided = index;
  message.source = from;
  message.dest = to;
  message.bytes = bytes;
  message.sent = now;
  message.order = sent++;
  sent_bytes += bytes;
  start_transfer(message_index, now);
}

void Simulation::State::leg_ended(std::uint32_t index) {
  OneSided& access = one_sided[index];
  if (access.leg == OneSided::Leg::Reply) return finish_one_sided(index);
  access.arrived = true;
  switch (access.kind) {
    case op::Kind::Put: return acknowledge(index);
    case op::Kind::Get: return reply_leg(index);
    default: return take_effects(access.epoch);
  }
}

/// Of the operations of one origin on one target, those take effect that have arrived and have none before them.
void Simulation::State::take_effects(std::uint32_t epoch_index) {
  Request& epoch = requests[epoch_index];
  while (epoch.first_ordered != none && one_sided[epoch.first_ordered].arrived) {
    const std::uint32_t index = epoch.first_ordered;
    const OneSided& access = one_sided[index];
    epoch.first_ordered = access.next;
    if (epoch.first_ordered == none) epoch.last_ordered = none;
    streams.take_effect(WorldRank{access.origin}, access.effect);
    if (access.kind == op::Kind::GetAccumulate) {
      reply_leg(index);
    } else {
      acknowledge(index);
    }
  }
}

void Simulation::State::reply_leg(std::uint32_t index) {
  OneSided& access = one_sided[index];
  access.leg = OneSided::Leg::Reply;
  start_leg(index, access.target, access.origin, access.bytes);
}

void Simulation::State::acknowledge(std::uint32_t index) {
  OneSided& access = one_sided[index];
  access.leg = OneSided::Leg::Reply;
  const Duration latency = transport.cost(place(access.target), place(access.origin), Bytes{}).latency;
  queue.push(Event::one_sided(now + latency, index, access.begun));
}

void Simulation::State::finish_one_sided(std::uint32_t index) {
  const OneSided access = one_sided[index];
  one_sided.give_back(index);
  for (const std::uint32_t request : {access.epoch, access.own}) {
    if (request != none && --requests[request].pending == 0) complete(request);
  }
}

void Simulation::State::one_sided_event(std::uint32_t index) {
  switch (one_sided[index].kind) {
    case op::Kind::Lock: return lock_arrived(index);
    case op::Kind::Unlock: return unlock_arrived(index);
    default: return finish_one_sided(index);
  }
}

}  // namespace orrery::kernel
