// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <utility>

#include "base/quantity.hpp"

namespace orrery::node {

/// Work that the frames of messages take of shared processors, whoever has them (softirq of Linux).
///
/// The operating system handles a frame when it comes. That costs nobody anything while a processor is idle; otherwise
/// it holds up the rank that runs. So the work of a message's frames goes into what the processors were idle since the
/// message began, each second of which does for one second of work, and the rest is owed by who does something next.
class Interrupts {
 public:
  /// So many processors were idle up to `now`. What is owed is done first.
  void pass(SimTime now, std::uint32_t processors) {
    const Duration idle = (now - at_) * processors;
    const Duration done = std::min(owed_, idle);
    owed_ = owed_ - done;
    idle_ += idle - done;
    at_ = now;
  }

  /// Idle time so far, of all processors together.
  [[nodiscard]] Duration idle() const { return idle_; }

  /// @param idle_before `idle` when the message began
  void take(Duration work, Duration idle_before) {
    used_ = std::max(used_, idle_before);
    const Duration done = std::min(work, idle_ - used_);
    used_ += done;
    owed_ += work - done;
  }

  /// What a rank that has a turn is held up for. It owes nothing more then.
  [[nodiscard]] Duration pay() { return std::exchange(owed_, Duration{}); }

 private:
  SimTime at_;
  Duration idle_, used_, owed_;
};

}  // namespace orrery::node
