// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/turns.hpp"
#include "kernel/virtual_processors.hpp"

namespace orrery::kernel {

/// Operations of one rank alone: they move its clock, or are marks in its stream.
class Local {
 public:
  Local(const Config& config, Cursors& cursors, Profiles& profiles, Turns& turns, const VirtualProcessors& processors)
      : config_(config), cursors_(cursors), profiles_(profiles), turns_(turns), processors_(processors) {}

  void begin_nothing(CursorIndex cursor) { cursors_.go_on(cursors_[cursor]); }
  void begin_sleep(CursorIndex cursor);
  void begin_reduce(CursorIndex cursor) { spend(cursors_[cursor], config_.reduce_s_per_byte); }
  void begin_copy(CursorIndex cursor) { spend(cursors_[cursor], config_.copy_s_per_byte); }
  void begin_clock(CursorIndex cursor);
  void begin_phase(CursorIndex cursor);
  void end_phase(CursorIndex cursor);
  void finalize(CursorIndex cursor);

 private:
  void spend(Cursor& cursor, double s_per_byte) {
    const Duration work{static_cast<double>(cursor.current->bytes.count) * s_per_byte};
    cursor.clock += processors_.lasts(cursor.rank, cursor.clock, work);
    cursors_.go_on(cursor);
  }

  const Config& config_;
  Cursors& cursors_;
  Profiles& profiles_;
  Turns& turns_;
  const VirtualProcessors& processors_;
};

}  // namespace orrery::kernel
