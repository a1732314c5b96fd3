// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "mpi/clock/replaces.hpp"

/// What this room's replacements of the C library know of the simulated clock; the process has one, as it has clocks.
namespace orrery::mpi::simulated_clock {

/// Whether the program's clocks follow simulated time. If not, nothing else here may be called.
[[nodiscard]] bool is_on();

/// Whether the calling thread may speak to the kernel now.
[[nodiscard]] bool may_ask();

/// The thread that may, as the system numbers it.
[[nodiscard]] pid_t asking_thread();

/// Seconds at simulated time 0 of a clock that follows it; null for clocks that count processor time.
[[nodiscard]] const double* base_of(clockid_t clock);

/// What a clock with this base says now; for threads that may not ask, what they can know of it.
[[nodiscard]] timespec now(double base_s);

/// What the clock that begins with the run (CLOCK_MONOTONIC) says now, in nanoseconds.
[[nodiscard]] std::int64_t now_ns();

/// Whether the calling thread is inside of a routine of the library.
[[nodiscard]] bool in_library();

/// Whether the run has no other rank than this one.
[[nodiscard]] bool is_only_rank();

/// The last answer of the kernel, on the same clock as `now_ns`. Asks nobody, as a signal handler may not.
[[nodiscard]] std::int64_t answered_ns();

/// Simulated seconds that a second of the calling thread's computation takes; 0: it is not measured.
[[nodiscard]] double computation_factor();

/// Lets simulated time pass; none of the host's does.
void sleep(std::int64_t ns);

/// The calling thread, which may not ask, has slept on the host until a clock with this base would say `until_ns`.
/// Simulated time is that late, too, if the whole process waits; it is told before the next operation.
void has_slept_until(double base_s, std::int64_t until_ns);
/// Simulated time is at least so late, as `now_ns` gives it; it is told before the next operation. A signal handler may
/// call it.
void is_at_least(std::int64_t ns);

/// Whether a thread has slept until a time that the rank has not been told yet.
[[nodiscard]] bool is_behind();
/// Tells it. Called inside of a call, before what the call does.
void catch_up();

[[nodiscard]] inline std::int64_t ns_of(const timespec& time) {
  constexpr time_t most_s = 9'000'000'000;  // that nanoseconds can count: "for ever" may be later
  return std::int64_t{std::min(time.tv_sec, most_s)} * 1'000'000'000 + time.tv_nsec;
}
[[nodiscard]] inline timespec from_ns(std::int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}
[[nodiscard]] inline bool is_valid(const timespec* time) {
  return !is_null(time) && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000;
}

}  // namespace orrery::mpi::simulated_clock
