// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <utility>

#include "base/quantity.hpp"

namespace orrery::node {

/// Work of the operating system for frames, on processors that ranks share (softirq of Linux).
///
/// The operating system handles a frame when it arrives: on an idle processor if there is one, else on a processor
/// whose rank has to wait. So the work for the frames of a message is first charged to the idle time of the processors
/// since the message began, which is used once only. The rest of the work is owed: it delays the rank that runs next.
class Interrupts {
 public:
  /// `processors` processors were idle since the last call. They first do the work that is owed.
  void pass(SimTime now, std::uint32_t processors) {
    const Duration idle = (now - at_) * processors;
    const Duration done = std::min(owed_, idle);
    owed_ = owed_ - done;
    idle_ += idle - done;
    at_ = now;
  }

  /// Idle time of all processors so far, without what was spent on owed work.
  [[nodiscard]] Duration idle() const { return idle_; }

  /// Work for the frames of a message.
  /// @param idle_before value of `idle` when the message began
  void take(Duration work, Duration idle_before) {
    used_ = std::max(used_, idle_before);
    const Duration done = std::min(work, idle_ - used_);
    used_ += done;
    owed_ += work - done;
  }

  /// Delay of the rank that runs next. Nothing is owed afterwards.
  [[nodiscard]] Duration pay() { return std::exchange(owed_, Duration{}); }

 private:
  SimTime at_;  ///< end of the time that `pass` has covered
  Duration idle_;
  Duration used_;  ///< part of `idle_` that work for frames has used, or that was before the message began
  Duration owed_;
};

}  // namespace orrery::node
