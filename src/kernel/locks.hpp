// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unordered_map>

#include "kernel/cursors.hpp"
#include "kernel/hosts.hpp"
#include "kernel/message.hpp"
#include "kernel/one_sided.hpp"

namespace orrery::kernel {

/// Locks of windows (MPI-4.1, section 12.5.3): requests and releases travel as empty messages, and are dealt with in
/// the order in which they arrive; of those that arrive at one instant, in the order in which they were sent.
class Locks {
 public:
  Locks(Clock& clock, const Hosts& hosts, Cursors& cursors, Messages& messages, Pool<OneSided>& operations,
        transport::Transport& transport, Groups& groups);

  void begin(CursorIndex cursor);  ///< Lock and Unlock
  void resume(Cursor& cursor);     ///< it has the lock
  /// A message about a lock has arrived, at either side.
  void arrived(OneSidedIndex operation);
  /// World rank of who has what this lock waits for; -1: nobody.
  [[nodiscard]] std::int32_t holder(const op::Operation& lock) const;
  /// All members have freed the window.
  void release(op::CommId window) { windows_.erase(window); }

 private:
  [[nodiscard]] platform::HostId lock_host(const OneSided& lock);
  void request_arrived(OneSidedIndex operation);
  void release_arrived(OneSidedIndex operation);
  void grant_all(WindowLocks& window);
  void grant_target(WindowLocks& window, TargetLock& target);
  void grant(OneSidedIndex operation);

  Clock& clock_;
  const Hosts& hosts_;
  Cursors& cursors_;
  Messages& messages_;
  Pool<OneSided>& operations_;
  transport::Transport& transport_;
  Groups& groups_;
  std::unordered_map<op::CommId, WindowLocks> windows_;  ///< that were ever locked
};

}  // namespace orrery::kernel
