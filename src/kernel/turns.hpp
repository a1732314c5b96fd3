// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/cursors.hpp"
#include "node/interrupts.hpp"
#include "node/processors.hpp"

/// Ranks on a few processors that all of them share (node/processors.hpp). Elsewhere nothing of this happens.
///
/// A rank that waits for a message sleeps, and leaves its processor. Once the message is there it has to wait for its
/// turn: the call that it sleeps in takes that time. What it computes, sends, and finds there when it looks, it does in
/// one turn, with two exceptions: after a time slice of computation it gives way to those that wait, and a poll that
/// finds nothing sleeps.
namespace orrery::kernel {

class Turns {
 public:
  Turns(Clock& clock, Cursors& cursors, Profiles& profiles, const settings::Processors& settings);

  [[nodiscard]] bool shared() const { return processors_.shared(); }
  [[nodiscard]] bool has(CursorIndex cursor) const { return processors_.has(cursor.value); }
  /// Whether somebody waits for a processor.
  [[nodiscard]] bool wanted() const { return processors_.wanted(); }
  [[nodiscard]] node::Interrupts& interrupts() { return interrupts_; }

  /// Whether the cursor has to come back when it is given a processor, or when it would need one. Asked for where ranks
  /// share some.
  [[nodiscard]] bool lacks_turn(CursorIndex cursor);
  /// Part of what the rank has to compute. It may be told to give way before the next part.
  void compute(CursorIndex cursor);
  /// The cursor does nothing until its clock, so that another one may have its processor meanwhile.
  void pause(CursorIndex cursor);
  /// The cursor has come to what it cannot go on from: it sleeps as soon as its own time is there.
  void rest(CursorIndex cursor);
  /// The time has come at which the cursor was to sleep, unless it has found something to do.
  void fall_asleep(CursorIndex cursor);
  void leave(CursorIndex cursor);

  /// Time goes on; nobody's turn begins or ends before.
  void go_to(SimTime time) {
    clock_.now = time;
    if (shared()) interrupts_.pass(time, processors_.idle());
  }

 private:
  void wake_processor(CursorIndex cursor);
  void go_on_after_waiting(Cursor& cursor);
  void give_turns();

  Clock& clock_;
  Cursors& cursors_;
  Profiles& profiles_;
  node::Processors processors_;
  node::Interrupts interrupts_;
  Duration slice_;      ///< computation of one turn before it gives way, if others wait
  Duration idle_wake_;  ///< until a processor that was idle has woken for a message
};

}  // namespace orrery::kernel
