// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local.hpp"

#include "op/sleep.hpp"

namespace orrery::kernel {
void Local::begin_sleep(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  const op::Operation& operation = *cursor.current;
  const bool late = operation.has(op::Late);  // accounted to nobody
  cursor.clock += op::length_of(operation);
  turns_.pause(index);
  if (late) {
    cursor.state = Cursor::State::Ready;
  } else {
    cursors_.go_on(cursor);
  }
}

void Local::begin_clock(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  cursors_.answer(cursor, {});
  cursors_.go_on(cursor);
}

/// The mark itself belongs to the phase around it.
void Local::begin_phase(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  cursors_.go_on(cursor);
  profiles_.begin_phase(cursor.rank, static_cast<std::uint32_t>(cursor.current->tag));
}

/// The mark itself belongs to the phase that it ends.
void Local::end_phase(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  if (!profiles_.in_phase(cursor.rank)) bad_stream(cursor, "a phase ends that never began");
  cursors_.go_on(cursor);
  profiles_.end_phase(cursor.rank);
}

void Local::finalize(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  cursors_.go_on(cursor);
  cursors_.answer(cursor, {});
  cursors_.finish(cursor);
}

}  // namespace orrery::kernel
