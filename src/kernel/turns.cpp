// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/turns.hpp"

#include <algorithm>
#include <utility>

namespace orrery::kernel {
namespace {

bool rests(const Cursor& cursor) {
  return cursor.state == Cursor::State::Waits || cursor.state == Cursor::State::Parked ||
         cursor.state == Cursor::State::Ended;
}

}  // namespace

Turns::Turns(Clock& clock, Cursors& cursors, Profiles& profiles, const settings::Processors& settings)
    : clock_(clock),
      cursors_(cursors),
      profiles_(profiles),
      processors_(settings.count),
      slice_{settings.slice_s},
      idle_wake_{settings.idle_wake_s} {}

bool Turns::lacks_turn(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  if (rests(cursor)) return false;
  if (!processors_.has(index.value)) {
    cursor.used = {};
    if (cursor.clock > clock_.now) {
      cursors_.schedule(index);
      return true;
    }
    const bool woken = std::exchange(cursor.from_afar, false) && idle_wake_.s > 0;
    if (!processors_.want(index.value)) return cursor.waited = true;
    if (woken) {
      wake_processor(index);
      return true;
    }
  }
  if (std::exchange(cursor.waited, false)) go_on_after_waiting(cursor);
  return false;
}

/// The cursor slept until a message from another node came, and gets a processor that was idle.
void Turns::wake_processor(CursorIndex index) {
  cursors_[index].clock = clock_.now + idle_wake_;
  cursors_.schedule(index);
}

void Turns::go_on_after_waiting(Cursor& cursor) {
  cursor.used = {};
  if (cursor.state == Cursor::State::Wakes) return;  // its call goes on, from when there was something to do
  const Duration waited = clock_.now - cursor.clock;
  if (cursor.state == Cursor::State::Computes) profiles_.spend(cursor.rank, 0, waited);
  if (cursor.state == Cursor::State::Ready && cursor.frame == none)
    profiles_.spend(cursor.rank, cursor.operation.routine, waited);
  cursor.clock = std::max(cursor.clock, clock_.now);
}

void Turns::rest(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  if (!processors_.has(index.value)) return;
  if (cursor.clock <= clock_.now) return leave(index);
  if (std::exchange(cursor.will_rest, true)) return;
  clock_.queue.push(Event::rest(cursor.clock, index, cursor.rank, cursor.serial));
}

void Turns::fall_asleep(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  cursor.will_rest = false;
  if (rests(cursor)) rest(index);
}

void Turns::leave(CursorIndex index) {
  processors_.leave(index.value);
  give_turns();
}

void Turns::give_turns() {
  while (const auto next = processors_.next()) cursors_.schedule(CursorIndex{*next});
}

void Turns::pause(CursorIndex index) {
  if (shared() && cursors_[index].thread == 0) leave(index);
}

void Turns::compute(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  if (cursor.used >= slice_) {
    cursor.used = {};
    if (processors_.wanted()) {
      processors_.leave(index.value);
      cursor.waited = !processors_.want(index.value);
      return give_turns();
    }
  }
  const Duration part = std::min(cursor.to_compute, slice_ - cursor.used);
  const Duration lasts = part + interrupts_.pay();
  profiles_.spend(cursor.rank, 0, lasts);
  cursor.clock += lasts;
  cursor.to_compute = cursor.to_compute - part;
  cursor.used += part;
  if (cursor.to_compute.s > 0) return;
  cursor.begun = cursor.clock;
  cursor.state = Cursor::State::Begins;
}

}  // namespace orrery::kernel
