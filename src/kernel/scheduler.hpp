// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/components.hpp"

namespace orrery::kernel {

/// Lets cursors go through their streams.
///
/// A cursor does all that it can do at one instant in one step. What comes later it leaves to the event queue. Some
/// operations give the same times when they are begun ahead of their time; that spares a visit to the queue.
///
/// Ranks with several threads in MPI (docs/design/threads.md): each operation in which a thread waits is done by a
/// cursor of its own, so that those of other threads pass it; the rank's stream only brings them. When the stream
/// brings nothing, the kernel cannot know whether a thread computes, and has to be waited for, or waits outside of MPI
/// for a thread that waits for the kernel. So while threads wait for answers it gives the others little time, and then
/// parks the stream: what comes later begins at the time that the simulation has reached by then. So does it with the
/// stream of a rank that waits for something outside of the simulation. A rank that computes while others could go on
/// gives them the time that it has computed so far (op::Streams::computes_on). (apart.cpp)
class Scheduler {
 public:
  explicit Scheduler(Components& components) : c_(components), cursors_(components.cursors), clock_(components.clock) {}

  /// The cursor's time has come.
  void visit(CursorIndex cursor);
  /// Those that have got what they waited for go as far as they can before their time. Nothing of theirs is due now.
  void go_ahead();

  // --- parked streams (apart.cpp) ---

  /// Those of which something has come go on.
  void hear_parked();
  /// Nothing can happen before a thread speaks.
  void wait_for_threads();
  /// How often a rank waited for something outside of the simulation.
  [[nodiscard]] std::uint64_t outside_waits() const { return outside_waits_; }

 private:
  void step(CursorIndex cursor);
  [[nodiscard]] bool advance(CursorIndex cursor);
  [[nodiscard]] bool later(CursorIndex cursor);
  void rest(CursorIndex cursor);
  void end(CursorIndex cursor);
  [[nodiscard]] bool fetch(CursorIndex cursor);
  void take_up(Cursor& cursor);
  void begin(CursorIndex cursor);
  [[nodiscard]] bool may_begin_early(const Cursor& cursor) const;

  void begin_apart(CursorIndex cursor);
  void end_apart(Cursor& cursor);
  [[nodiscard]] bool await(CursorIndex cursor);
  [[nodiscard]] bool await_stream(std::int32_t rank);
  [[nodiscard]] bool others_could_go_on();
  void tell_times_ahead(std::int32_t late);
  [[nodiscard]] bool has_spoken(CursorIndex cursor) const;

  Components& c_;
  Cursors& cursors_;
  Clock& clock_;
  std::uint64_t outside_waits_ = 0;
};

}  // namespace orrery::kernel
