// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "kernel/state.hpp"

/// Ranks on a few processors that all of them share (node/processors.hpp). Elsewhere nothing of this happens.
///
/// A rank that waits for a message sleeps, and leaves its processor. Once the message is there it has to wait for its
/// turn: the call that it sleeps in takes that time. What it computes, sends, and finds there when it looks, it does in
/// one turn, with two exceptions: after a slice of computation it gives way to those that wait, and a poll that finds
/// nothing sleeps.
namespace orrery::kernel {

namespace {

bool rests(const Cursor& cursor) {
  return cursor.state == Cursor::State::Waits || cursor.state == Cursor::State::Parked ||
         cursor.state == Cursor::State::Ended;
}

}  // namespace

/// Whether the cursor has to come back when it is given a processor, or when it would need one. Asked for where ranks
/// share some.
bool Simulation::State::lacks_turn(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  if (rests(cursor)) return false;
  if (!processors.has(index)) {
    if (cursor.clock > now) {
      schedule(index);
      return true;
    }
    const bool woken = std::exchange(cursor.from_afar, false) && idle_wake.s > 0;
    if (!processors.want(index)) return cursor.waited = true;
    if (woken) {
      wake_processor(index);
      return true;
    }
  }
  if (std::exchange(cursor.waited, false)) go_on_after_waiting(cursor);
  return false;
}

/// The cursor slept until a message from another node came, and gets a processor that was idle.
void Simulation::State::wake_processor(std::uint32_t index) {
  cursors[index].clock = now + idle_wake;
  schedule(index);
}

void Simulation::State::go_on_after_waiting(Cursor& cursor) {
  if (cursor.state == Cursor::State::Wakes) return;  // its call goes on, from when there was something to do
  const Duration waited = now - cursor.clock;
  if (cursor.state == Cursor::State::Computes) account(cursor, 0, waited);
  if (cursor.state == Cursor::State::Ready && cursor.frame == none) account(cursor, cursor.operation.routine, waited);
  cursor.sliced = false;
  cursor.clock = std::max(cursor.clock, now);
}

/// The cursor has come to what it cannot go on from: it sleeps as soon as its own time is there.
void Simulation::State::rest(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  if (!processors.has(index)) return;
  if (cursor.clock <= now) return leave(index);
  if (std::exchange(cursor.will_rest, true)) return;
  queue.push(Event::rest(cursor.clock, index, cursor.rank, cursor.serial));
}

/// The time has come at which the cursor was to sleep, unless it has found something to do.
void Simulation::State::fall_asleep(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  cursor.will_rest = false;
  if (rests(cursor)) rest(index);
}

void Simulation::State::leave(std::uint32_t index) {
  processors.leave(index);
  give_turns();
}

void Simulation::State::give_turns() {
  while (const auto next = processors.next()) schedule(*next);
}

/// The cursor does nothing until its clock, so that another one may have its processor meanwhile.
void Simulation::State::pause(std::uint32_t index) {
  if (processors.shared() && cursors[index].thread == 0) leave(index);
}

/// Part of what the rank has to compute. It may be asked to give way before the next part.
void Simulation::State::compute(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  if (cursor.sliced && processors.wanted()) {
    processors.leave(index);
    cursor.waited = !processors.want(index);
    return give_turns();
  }
  const Duration part = std::min(cursor.to_compute, slice);
  const Duration lasts = part + interrupts.pay();
  account(cursor, 0, lasts);
  cursor.clock += lasts;
  cursor.to_compute = cursor.to_compute - part;
  cursor.sliced = cursor.to_compute.s > 0;
  if (cursor.sliced) return;
  cursor.begun = cursor.clock;
  cursor.state = Cursor::State::Begins;
}

/// One of the requests that the rank slept for was complete at its clock, and it has got a processor now. It handles
/// all that is there, and sleeps again if that is not what it waits for.
void Simulation::State::wake(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  Side side = Side::Woken;
  const auto take = [&](Request& request) {
    if (!request.complete || request.paid) return;
    pay(cursor, request, std::exchange(side, Side::Receive));
    cursor.clock = std::max(cursor.clock, now);
  };
  if (cursor.own_request != none) {
    take(requests[cursor.own_request]);
  } else {
    for (const op::RequestId id : cursor.current->requests) take(requests[slot(cursor, id)]);
  }
  cursor.state = cursor.remaining == 0 ? Cursor::State::Resumes : Cursor::State::Waits;
}

/// Time goes on; nobody's turn begins or ends before.
void Simulation::State::go_to(SimTime time) {
  now = time;
  if (processors.shared()) interrupts.pass(now, processors.idle());
}

/// The last frame of a message is there.
void Simulation::State::handle_frames(const Message& message) {
  if (!processors.shared() || host(message.source) == host(message.dest)) return;
  interrupts.take(handling.of_frames(transport.frames(message.bytes)), message.idle_before);
}

void Simulation::State::count_sent(std::int32_t index, op::RoutineId routine, Bytes bytes) {
  RankState& rank = ranks[static_cast<std::size_t>(index)];
  auto& line = rank.profile.line(rank.phases.empty() ? 0 : rank.phases.back(), routine);
  ++line.messages;
  line.bytes += bytes;
}

void Simulation::State::account(const Cursor& cursor, op::RoutineId routine, Duration time) {
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  rank.profile.line(rank.phases.empty() ? 0 : rank.phases.back(), routine).time += time;
}

}  // namespace orrery::kernel
