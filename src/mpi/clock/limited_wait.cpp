// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/limited_wait.hpp"

#include <algorithm>

#include "mpi/clock/clock.hpp"
#include "mpi/clock/program_timers.hpp"
#include "mpi/clock/simulated_clock.hpp"
#include "mpi/rank/threads.hpp"

namespace orrery::mpi {
namespace {

namespace clock_ = simulated_clock;

/// What a clock says is rounded down, twice: from the run's begin to its own, and to a nanosecond.
constexpr std::int64_t rounding_ns = 2;

/// How a wait passes its time.
enum class Manner : std::uint8_t {
  AtOnce,         ///< simulated time alone
  BesideRanks,    ///< simulated time in pieces; after each the others have come as far
  BesideHost,     ///< the host's time in pieces, and as much simulated time after each
  BesideThreads,  ///< the host's time; at its end as much simulated time, if others have not let it pass
};

Manner manner_of(const LimitedWait& wait) {
  if (!clock_::may_ask()) return Manner::BesideThreads;
  const WaitReach reach = wait.reach();
  if (reach == WaitReach::Nobody) return Manner::AtOnce;
  if (process_has_threads()) return Manner::BesideThreads;
  if (reach == WaitReach::OwnThreads) return Manner::AtOnce;
  if (!wait.may_look_again()) return Manner::BesideThreads;
  if (reach == WaitReach::OtherProcesses || process_has_children()) return Manner::BesideHost;
  return clock_::is_only_rank() ? Manner::AtOnce : Manner::BesideRanks;
}

/// How much time passes until the next look.
class Pieces {
 public:
  explicit Pieces(Manner manner) : manner_(manner) {}

  /// The next piece of the time from `now_ns` to the end of the wait, or to the next timer.
  [[nodiscard]] std::int64_t next(std::int64_t now_ns, std::int64_t end_ns) {
    constexpr std::int64_t shortest_ns = 100'000;
    constexpr std::int64_t looks = 16;
    const std::int64_t left_ns = std::max<std::int64_t>(1, end_ns - now_ns);
    if (manner_ == Manner::BesideRanks && end_ns != end_ns_) ns_ = std::max(left_ns / looks, shortest_ns);
    if (manner_ == Manner::BesideHost) grow();
    end_ns_ = end_ns;
    return std::min(ns_, left_ns);
  }

 private:
  /// The longer a process of the host takes, the less a look more costs or tells.
  void grow() {
    constexpr std::int64_t first_ns = 1'000'000;
    constexpr std::int64_t longest_ns = 20'000'000;
    ns_ = ns_ == for_ever ? first_ns : std::min(ns_ + ns_ / 2, longest_ns);
  }

  Manner manner_;
  std::int64_t ns_ = for_ever;
  std::int64_t end_ns_ = for_ever;
};

std::int64_t later(std::int64_t ns, std::int64_t by_ns) { return by_ns >= for_ever - ns ? for_ever : ns + by_ns; }

/// Lets as much simulated time pass as the clock lacks.
void pass_until(std::int64_t ns) {
  if (!clock_::may_ask()) return clock_::has_slept_until(*clock_::base_of(CLOCK_MONOTONIC), ns);
  if (const std::int64_t left_ns = ns - clock_::now_ns(); left_ns > 0) clock_::sleep(left_ns + 1);
}

/// One piece of the wait. @return whether it is over
bool wait_once(LimitedWait& wait, Manner manner, std::int64_t now_ns, std::int64_t ns) {
  switch (manner) {
    case Manner::AtOnce:
    case Manner::BesideRanks: clock_::sleep(ns); return false;
    case Manner::BesideHost: {
      const std::int64_t begun_ns = host_clock::monotonic_ns();
      const bool over = wait.look(ns);
      clock_::sleep(over ? std::min(ns, host_clock::monotonic_ns() - begun_ns) : ns);
      return over;
    }
    case Manner::BesideThreads:
      if (wait.look(ns)) return true;
      pass_until(now_ns + ns);
      return false;
  }
  return false;
}

}  // namespace

WaitEnd run_wait(LimitedWait& wait, std::int64_t limit_ns, const sigset_t* mask) {
  wait.left_ns = limit_ns;
  const bool timed = program_timers::any_armed();
  if (!timed && wait.may_look_again() && wait.look(0)) return WaitEnd::Over;
  const Manner manner = manner_of(wait);
  if (!timed && manner == Manner::AtOnce) {
    clock_::sleep(limit_ns);
    wait.left_ns = 0;
    return WaitEnd::TimeIsUp;
  }
  program_timers::Pause host_alarm;
  const bool looks = wait.may_look_again();
  std::int64_t now_ns = clock_::now_ns();
  const std::int64_t until_ns = later(now_ns, limit_ns);
  Pieces pieces(manner);
  bool over = false;
  for (;; now_ns = clock_::now_ns()) {
    host_alarm.now_ns = now_ns;
    wait.left_ns = std::max<std::int64_t>(0, until_ns - now_ns);
    if (program_timers::fire(now_ns, mask) && wait.interruptible()) return WaitEnd::Interrupted;
    if (over || (looks && wait.look(0))) return WaitEnd::Over;
    if (wait.left_ns <= rounding_ns) return WaitEnd::TimeIsUp;
    const std::int64_t next_ns = looks ? std::min(until_ns, program_timers::next_ns()) : until_ns;
    if (next_ns == for_ever) {  // neither a limit nor a timer any more
      over = wait.look(for_ever);
      continue;
    }
    over = wait_once(wait, manner, now_ns, pieces.next(now_ns, next_ns));
    if (!over && manner == Manner::BesideThreads && next_ns == until_ns) {
      wait.left_ns = 0;
      return WaitEnd::TimeIsUp;
    }
  }
}

}  // namespace orrery::mpi
