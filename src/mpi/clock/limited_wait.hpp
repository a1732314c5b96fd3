// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <cstdint>
#include <limits>

/// A wait of the program that simulated time ends at the latest (docs/design/waits.md).
namespace orrery::mpi {

/// No limit of time, in nanoseconds.
inline constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

/// Who may end a wait before its limit, each besides those above it.
enum class WaitReach : std::uint8_t {
  Nobody,          ///< it is a sleep
  OwnThreads,      ///< what is waited for lies in the memory of this process
  OtherRanks,      ///< others of the run, or processes that this one has started, may have it as well
  OtherProcesses,  ///< anybody on this host
};

/// One wait, as the original function of the C library does it.
class LimitedWait {
 public:
  /// Waits on the host for `host_ns` nanoseconds at most; 0: only looks. @return whether the wait is over, for whatever
  /// reason; the result is kept by the object
  virtual bool look(std::int64_t host_ns) = 0;
  [[nodiscard]] virtual WaitReach reach() const = 0;
  /// Whether looking several times does what waiting once would. A condition's signal may come between two looks.
  [[nodiscard]] virtual bool may_look_again() const { return true; }
  /// Whether a signal's handler that has run ends it.
  [[nodiscard]] virtual bool interruptible() const { return true; }

  std::int64_t left_ns = 0;  ///< of its limit, once it is over

 protected:
  ~LimitedWait() = default;
};

enum class WaitEnd : std::uint8_t { Over, TimeIsUp, Interrupted };

/// Waits until `wait` is over, at most `limit_ns` of simulated time.
///
/// Simulated time passes at once where nobody could end the wait. Other ranks have done all that they do before a
/// simulated time when the kernel has let this rank come to it; so their time passes in pieces, with a look after each.
/// Processes outside of the run need the host's time, of which as much passes; so do other threads of this process.
/// Timers of the program (program_timers.hpp) that come meanwhile fire.
///
/// @param mask signals that are blocked during the wait; null: as they are
/// @pre simulated_clock::is_on()
WaitEnd run_wait(LimitedWait& wait, std::int64_t limit_ns, const sigset_t* mask = nullptr);

}  // namespace orrery::mpi
