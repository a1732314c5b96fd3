// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "kernel/operations.hpp"
#include "kernel/scheduler.hpp"

namespace orrery::kernel {
namespace {

/// How long threads that are believed to run are waited for, in seconds of the host.
constexpr double patience_s = 200e-6;
/// How long to sleep when nothing can happen before some thread speaks.
constexpr double idle_s = 1e-3;

}  // namespace

void Scheduler::begin_apart(CursorIndex index) {
  Cursor& stream = cursors_[index];
  if (stream.frame != none || stream.thread != 0) bad_stream(stream, "a thread's operation inside of another one");
  if (stream.operation.request == 0) bad_stream(stream, "an operation of no thread");
  const CursorIndex apart = cursors_.fork(stream.rank);
  Cursor& cursor = cursors_[apart];
  cursor.thread = stream.operation.request;
  cursor.clock = cursor.begun = stream.clock;
  cursor.operation = stream.operation;
  cursor.operation.flags &= static_cast<std::uint8_t>(~op::Apart);
  cursor.operation.request = 0;
  cursor.requests.assign(stream.operation.requests.begin(), stream.operation.requests.end());
  cursor.counts.assign(stream.operation.counts.begin(), stream.operation.counts.end());
  cursor.operation.requests = cursor.requests;
  cursor.operation.counts = cursor.counts;
  cursor.current = &cursor.operation;
  cursor.state = Cursor::State::Begins;
  c_.threads.begins_to_wait(stream.rank);
  stream.state = Cursor::State::Ready;
  visit(apart);  // at once: its place among the rank's messages is that in the stream
}

/// The operation of a thread is over.
void Scheduler::end_apart(Cursor& cursor) {
  if (!op::wants_reply(cursor.operation)) cursors_.answer(cursor, {});
  cursor.state = Cursor::State::Ended;
}

/// The stream has brought nothing. @return whether to look again; else it is parked
bool Scheduler::await(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  if (!c_.threads.wait_for_answers(cursor.rank)) {
    if (await_stream(cursor.rank)) return true;
  } else if (c_.threads.run(cursor.rank)) {
    c_.streams.wait_for_any(patience_s);
    if (c_.streams.ready(WorldRank{cursor.rank})) return true;
    c_.threads.are_silent(cursor.rank);
  }
  c_.threads.parked.push_back(index);
  cursor.state = Cursor::State::Parked;
  return false;
}

/// Waits for the stream of a rank no thread of which waits.
/// @return false: it waits for something outside of the simulation
bool Scheduler::await_stream(std::int32_t rank) {
  if (c_.threads.parked.empty()) {
    c_.streams.wait(WorldRank{rank});
    if (!c_.streams.ready(WorldRank{rank})) tell_times_ahead(rank);
  } else {
    c_.streams.wait_for_any(patience_s);
    hear_parked();
  }
  if (others_could_go_on() && c_.streams.computes_on(WorldRank{rank})) return true;
  if (!c_.streams.waits_outside(WorldRank{rank})) return true;
  ++outside_waits_;
  return false;
}

/// Whether anything is going to happen without the rank whose stream is waited for.
bool Scheduler::others_could_go_on() {
  return !clock_.queue.empty() || c_.transport.next_event() || c_.files.next_event();
}

/// A rank that computes is waited for. Others that are ahead of it may have asked for the time, to go on computing:
/// that is known, whatever the late one does. What they do besides stays for its time. (Where the late one waits for
/// something outside, it may be for what the others do next, and must not be told of it before its time.)
void Scheduler::tell_times_ahead(std::int32_t late) {
  if (c_.turns.shared()) return;  // their clocks depend on who computes before them
  std::optional<bool> computes;
  for (std::uint32_t rank = 0; rank < cursors_.ranks(); ++rank) {
    const CursorIndex index{rank};
    const Cursor& cursor = cursors_[index];
    while (has_spoken(index)) {
      if (!computes) computes = c_.streams.computes(WorldRank{late});
      if (!*computes) return;
      if (!fetch(index)) return;
      const op::Kind kind = cursor.operation.kind;
      const bool waits_for_nobody = kind == op::Kind::Clock || kind == op::Kind::Nothing;
      if (cursor.state == Cursor::State::Begins && waits_for_nobody) begin(index);
    }
  }
}

/// Whether a rank whose cursor is ahead has brought its next operation.
bool Scheduler::has_spoken(CursorIndex index) const {
  const Cursor& cursor = cursors_[index];
  return cursor.state == Cursor::State::Ready && cursor.frame == none && cursor.clock >= clock_.now &&
         index != cursors_.stepping() && c_.streams.ready(WorldRank{cursor.rank});
}

void Scheduler::wait_for_threads() { c_.streams.wait_for_any(idle_s); }

void Scheduler::hear_parked() {
  std::vector<CursorIndex>& parked = c_.threads.parked;
  for (;;) {
    const auto found = std::find_if(parked.begin(), parked.end(), [&](CursorIndex index) {
      return c_.streams.ready(WorldRank{cursors_[index].rank});
    });
    if (found == parked.end()) return;
    const CursorIndex index = *found;
    parked.erase(found);
    cursors_[index].state = Cursor::State::Ready;
    visit(index);
  }
}

}  // namespace orrery::kernel
