// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

namespace orrery::mpi::channel {

/// Tells a process that computes from one that waits for something outside of the library: a connection, a pipe.
///
/// It waits if for 0.3 s all of its threads have been asleep (proc(5)), have used no processor time, and none of them
/// in the library's own sleep. One with children is left alone: it most likely waits for them, which nobody else can
/// end.
class OutsideWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Looks again, if it is time; otherwise says what it saw. Call it every now and then while `turn` does not change,
  /// which is any number that changes when the rank does something.
  /// @param in_library whether it sleeps in the library
  [[nodiscard]] bool waits(int rank, std::uint64_t turn, pid_t process, bool in_library,
                           Clock::time_point now = Clock::now());

 private:
  int rank_ = -1;
  std::uint64_t turn_ = 0;
  std::uint64_t ticks_ = 0;         ///< processor time that the process had used
  Clock::time_point asleep_since_;  ///< as far as is known
  Clock::time_point looked_;
  bool waits_ = false;  ///< what was seen then
};

}  // namespace orrery::mpi::channel
