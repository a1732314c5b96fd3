// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "kernel/state.hpp"

/// Ranks with several threads in MPI (docs/design/threads.md). Each operation in which a thread waits is done by a
/// cursor of its own, so that those of other threads pass it; the rank's stream only brings them.
///
/// When the stream brings nothing, the kernel cannot know whether a thread computes, and has to be waited for, or waits
/// outside of MPI for a thread that waits for the kernel. So while threads wait for answers it gives the others little
/// time, and then parks the stream: what comes later begins at the time that the simulation has reached by then. So
/// does it with the stream of a rank that waits for something outside of the simulation.
namespace orrery::kernel {
namespace {

/// How long threads that are believed to run are waited for, in seconds of the host.
constexpr double patience_s = 200e-6;
/// How long to sleep when nothing can happen before some thread speaks.
constexpr double idle_s = 1e-3;

}  // namespace

void Simulation::State::begin_apart(std::uint32_t index) {
  Cursor& stream = cursors[index];
  if (stream.frame != none || stream.thread != 0) bad_stream(stream, "a thread's operation inside of another one");
  if (stream.operation.request == 0) bad_stream(stream, "an operation of no thread");
  RankState& rank = ranks[static_cast<std::size_t>(stream.rank)];
  const std::uint32_t apart = cursors.take();
  Cursor& cursor = cursors[apart];
  cursor.rank = stream.rank;
  cursor.serial = ++rank.collectives;
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
  ++rank.threads_waiting;
  if (rank.threads_running > 0) --rank.threads_running;
  stream.state = Cursor::State::Ready;
  // At once: its place among the rank's messages is that in the stream.
  const std::uint32_t outer = std::exchange(stepping, apart);
  step(apart);
  stepping = outer;
}

void Simulation::State::answer_thread(Cursor& cursor, op::Reply reply) {
  reply.now = cursor.clock;
  reply.thread = cursor.thread;
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  --rank.threads_waiting;
  ++rank.threads_running;
  const auto stream_index = static_cast<std::uint32_t>(cursor.rank);
  Cursor& stream = cursors[stream_index];
  stream.clock = std::max(stream.clock, cursor.clock);
  if (stream.state == Cursor::State::Parked) {
    std::erase(parked, stream_index);
    stream.state = Cursor::State::Ready;
    schedule(stream_index);
  }
  streams.reply(WorldRank{cursor.rank}, reply);
}

/// The operation of a thread is over.
void Simulation::State::end_apart(Cursor& cursor) {
  if (!op::wants_reply(cursor.operation)) answer_thread(cursor, {});
  cursor.state = Cursor::State::Ended;
}

/// The stream has brought nothing. @return whether to look again; else it is parked
bool Simulation::State::await(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  if (rank.threads_waiting == 0) {
    if (parked.empty()) {
      streams.wait(WorldRank{cursor.rank});
      if (!streams.ready(WorldRank{cursor.rank})) tell_times_ahead(cursor.rank);
    } else {
      streams.wait_for_any(patience_s);
      hear_parked();
    }
    if (!streams.waits_outside(WorldRank{cursor.rank})) return true;
    ++outside_waits;
  } else if (rank.threads_running > 0) {
    streams.wait_for_any(patience_s);
    if (streams.ready(WorldRank{cursor.rank})) return true;
    rank.threads_running = 0;
  }
  parked.push_back(index);
  cursor.state = Cursor::State::Parked;
  return false;
}

/// A rank that computes is waited for. Others that are ahead of it may have asked for the time, to go on computing:
/// that is known, whatever the late one does. What they do besides stays for its time. (Where the late one waits for
/// something outside, it may be for what the others do next, and must not be told of it before its time.)
void Simulation::State::tell_times_ahead(std::int32_t late) {
  if (processors.shared()) return;  // their clocks depend on who computes before them
  std::optional<bool> computes;
  for (std::uint32_t index = 0; index < ranks.size(); ++index) {
    Cursor& cursor = cursors[index];
    const auto has_spoken = [&] {
      return cursor.state == Cursor::State::Ready && cursor.frame == none && cursor.clock >= now && index != stepping &&
             streams.ready(WorldRank{cursor.rank});
    };
    while (has_spoken()) {
      if (!computes) computes = streams.computes(WorldRank{late});
      if (!*computes) return;
      if (!fetch(index)) return;
      const op::Kind kind = cursor.operation.kind;
      const bool waits_for_nobody = kind == op::Kind::Clock || kind == op::Kind::Nothing;
      if (cursor.state == Cursor::State::Begins && waits_for_nobody) begin(index);
    }
  }
}

/// Nothing can happen before a thread speaks.
void Simulation::State::wait_for_threads() {
  report_progress();
  streams.wait_for_any(idle_s);
}

/// Those of which something has come go on.
void Simulation::State::hear_parked() {
  for (;;) {
    const auto found = std::find_if(parked.begin(), parked.end(),
                                    [&](std::uint32_t index) { return streams.ready(WorldRank{cursors[index].rank}); });
    if (found == parked.end()) return;
    const std::uint32_t index = *found;
    parked.erase(found);
    cursors[index].state = Cursor::State::Ready;
    const std::uint32_t outer = std::exchange(stepping, index);
    step(index);
    stepping = outer;
  }
}

bool Simulation::State::probes(std::int32_t rank) const {
  const Cursor& cursor = cursors[static_cast<std::uint32_t>(rank)];
  const bool in_stream =
      cursor.state == Cursor::State::Waits && cursor.frame == none && cursor.current->kind == op::Kind::Probe;
  return in_stream || !ranks[static_cast<std::size_t>(rank)].probing.empty();
}

/// An envelope has arrived: whoever waits in a probe looks again.
void Simulation::State::wake_probes(std::int32_t rank) {
  const auto wake = [&](std::uint32_t index) {
    Cursor& cursor = cursors[index];
    if (cursor.state != Cursor::State::Waits || cursor.frame != none) return;
    if (cursor.current->kind != op::Kind::Probe) return;
    cursor.clock = std::max(cursor.clock, now);
    cursor.state = Cursor::State::Resumes;
    schedule(index);
  };
  wake(static_cast<std::uint32_t>(rank));
  for (const std::uint32_t index : ranks[static_cast<std::size_t>(rank)].probing) wake(index);
}

}  // namespace orrery::kernel
