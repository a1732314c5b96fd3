// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/rendezvous.hpp"
#include "kernel/virtual_processors.hpp"

namespace orrery::kernel {

/// What a test or probe does that finds nothing: it looks at the rank's connections, and takes time.
class Polling {
 public:
  Polling(const Config& config, Cursors& cursors, Turns& turns, const VirtualProcessors& processors,
          Rendezvous& rendezvous)
      : config_(config), cursors_(cursors), turns_(turns), processors_(processors), rendezvous_(rendezvous) {}

  void found_nothing(CursorIndex index) {
    Cursor& cursor = cursors_[index];
    rendezvous_.look(cursor);
    cursor.clock += processors_.lasts(cursor.rank, cursor.clock, config_.poll_cost);
    turns_.pause(index);
  }

 private:
  const Config& config_;
  Cursors& cursors_;
  Turns& turns_;
  const VirtualProcessors& processors_;
  Rendezvous& rendezvous_;
};

}  // namespace orrery::kernel
