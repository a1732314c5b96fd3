// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/scheduler.hpp"

namespace orrery::kernel {

/// The clock: goes from one instant at which something happens to the next, and tells those whom it concerns. In which
/// order it does so at one instant is written in kernel.hpp.
class EventLoop {
 public:
  EventLoop(Components& components, Progress& progress);

  /// Until nothing happens any more. @throws Interrupted
  void run();
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t outside_waits() const { return scheduler_.outside_waits(); }

 private:
  [[nodiscard]] bool is_due() const { return !c_.clock.queue.empty() && c_.clock.queue.top().time <= c_.clock.now; }
  void handle_due();
  void handle(const Event& event);
  void one_sided_arrived(OneSidedIndex operation);
  [[nodiscard]] bool hear_parked();
  [[nodiscard]] bool go_on();
  [[nodiscard]] bool comes_first(std::optional<SimTime> time) const;
  void end_accesses(SimTime time);
  void advance_transport(SimTime time);
  void transfer_ended(MessageIndex message);
  void report_progress();
  void stop_if_interrupted() const;

  Components& c_;
  Scheduler scheduler_;
  Progress& progress_;
  std::uint64_t events_ = 0;
  std::uint64_t next_report_ = 0;  ///< in events; they come in batches, so it may be passed by many
  std::vector<sharing::TransferId> ended_, released_;
};

}  // namespace orrery::kernel
