// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/scheduler.hpp"

#include <cmath>

#include "kernel/operations.hpp"

namespace orrery::kernel {
namespace {

/// Operations that only move the cursor's own clock give the same times when they are begun ahead of the present. A
/// wait is one, because each request that completes moves the clock to max(clock, completion) + overhead, whenever the
/// wait began.
bool only_own_clock(const op::Operation& operation) {
  if (op::is_apart(operation)) return false;
  switch (operation.kind) {
    case op::Kind::Nothing:
    case op::Kind::Sleep:
    case op::Kind::Clock:  // so that a rank which asks for the time need not wait for those that are behind it
    case op::Kind::Reduce:
    case op::Kind::Copy:
    case op::Kind::FileMetadata:
    case op::Kind::WaitAll: return true;
    default: return false;
  }
}

/// Seconds after which a rank that is at `from` is at `to`, to the last bit.
Duration exactly_between(SimTime from, SimTime to) {
  double seconds = to.s - from.s;
  while (from.s + seconds < to.s) seconds = std::nextafter(seconds, to.s);
  while (from.s + seconds > to.s) seconds = std::nextafter(seconds, 0.0);
  return Duration{seconds};
}

}  // namespace

void Scheduler::visit(CursorIndex cursor) {
  const CursorIndex outer = cursors_.begin_step(cursor);
  step(cursor);
  cursors_.end_step(outer);
}

void Scheduler::go_ahead() {
  std::vector<CursorIndex>& resumed = cursors_.resumed();
  for (std::size_t i = 0; i < resumed.size(); ++i) visit(resumed[i]);
  resumed.clear();
}

/// Does all that the cursor can do at this instant.
void Scheduler::step(CursorIndex index) {
  do {
    if (c_.turns.shared() && c_.turns.lacks_turn(index)) return;
  } while (advance(index));
}

/// @return whether it may do more at this instant
bool Scheduler::advance(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  const bool is_ahead = cursor.clock > clock_.now;
  switch (cursor.state) {
    case Cursor::State::Ready:
      if (is_ahead && !cursors_.reads_ahead(cursor)) return later(index);
      return fetch(index) || later(index);
    case Cursor::State::Computes:
      if (is_ahead) return later(index);
      c_.turns.compute(index);
      return !cursor.waited;
    case Cursor::State::Begins:
      if (is_ahead && !may_begin_early(cursor)) return later(index);
      begin(index);
      return true;
    case Cursor::State::Leaves:
      if (is_ahead) return later(index);
      c_.collectives.end(cursor);
      return true;
    case Cursor::State::Wakes:
      if (is_ahead) return later(index);
      c_.waits.wake(cursor);
      return true;
    case Cursor::State::Resumes:
      c_.rendezvous.look(cursor);
      handler_of(cursor).resume(c_, index);
      return true;
    case Cursor::State::Waits:
    case Cursor::State::Parked: rest(index); return false;
    case Cursor::State::Ended: end(index); return false;
  }
  return false;
}

bool Scheduler::later(CursorIndex index) {
  cursors_.schedule(index);
  return false;
}

void Scheduler::rest(CursorIndex index) {
  c_.rendezvous.look(cursors_[index]);
  if (c_.turns.shared()) c_.turns.rest(index);
}

void Scheduler::end(CursorIndex index) {
  const Cursor& cursor = cursors_[index];
  c_.rendezvous.look(cursor);
  if (c_.turns.has(index)) c_.turns.leave(index);
  if (cursor.serial != 0) cursors_.give_back(index);
}

/// Reads the next operation, of the collective that the cursor is in or else of the rank's stream. False: that is
/// not known before its time.
bool Scheduler::fetch(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  if (cursor.frame != none) {
    cursor.current = c_.collectives.next(cursor);
    cursor.state = cursor.current != nullptr ? Cursor::State::Begins : Cursor::State::Leaves;
    return true;
  }
  if (cursor.thread != 0) {
    end_apart(cursor);
    return true;
  }
  op::Pull pull = c_.streams.next(WorldRank{cursor.rank}, cursor.operation);
  while (pull == op::Pull::NotYet) {
    if (cursor.clock > clock_.now) return false;
    if (!await(index)) return true;
    pull = c_.streams.next(WorldRank{cursor.rank}, cursor.operation);
  }
  if (pull == op::Pull::End) {
    cursors_.finish(cursor);
  } else {
    take_up(cursor);
  }
  return true;
}

/// The stream has brought an operation: the computation before it comes first.
void Scheduler::take_up(Cursor& cursor) {
  cursor.current = &cursor.operation;
  const double seconds = cursor.operation.compute_s;
  if (seconds > 0) {
    const Duration computed{seconds * c_.config.compute_factor[static_cast<std::size_t>(cursor.rank)]};
    if (c_.turns.shared()) {
      cursor.to_compute = computed;
      cursor.state = Cursor::State::Computes;
      return;
    }
    const Duration lasts = c_.virtual_processors.lasts(cursor.rank, cursor.clock, computed);
    c_.profiles.spend(cursor.rank, 0, lasts);
    cursor.clock += lasts;
  }
  if (cursor.clock < clock_.now) {  // a thread that was not waited for
    if (c_.config.observer != nullptr) c_.config.observer->late(cursor.rank, exactly_between(cursor.clock, clock_.now));
    cursor.clock = clock_.now;
  }
  cursor.begun = cursor.clock;
  cursor.state = Cursor::State::Begins;
}

void Scheduler::begin(CursorIndex index) {
  const Cursor& cursor = cursors_[index];
  if (op::is_apart(*cursor.current)) return begin_apart(index);
  handler_of(cursor).begin(c_, index);
}

/// Where ranks share processors, what a wait costs depends on the others, who must have had their turns. Where requests
/// are seen in calls only, nothing may be seen before a wait begins.
bool Scheduler::may_begin_early(const Cursor& cursor) const {
  const op::Operation& operation = *cursor.current;
  const bool shared = c_.turns.shared();
  if (operation.kind == op::Kind::WaitAll && (shared || c_.rendezvous.in_calls())) return false;
  if (operation.kind == op::Kind::Sleep && shared) return false;
  if (operation.kind == op::Kind::Irecv) return c_.receiving.takes_what_is_there(cursor);
  return only_own_clock(operation);
}

}  // namespace orrery::kernel
