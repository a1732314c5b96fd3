// SPDX-License-Identifier: BSD-3-Clause
#include <threads.h>
#include <unistd.h>

#include <cerrno>

#include "mpi/clock/limited_wait.hpp"
#include "mpi/clock/program_timers.hpp"
#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"

/// Sleeps of the C library. Only the thread that has initialised MPI sleeps in simulated time; any other sleeps as long
/// on the host, so that those that compute get on meanwhile (docs/design/threads.md).
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

using ClockNanosleep = int (*)(clockid_t, int, const timespec*, timespec*);
ClockNanosleep host_clock_nanosleep() {
  static const auto found = next_function<ClockNanosleep>("clock_nanosleep");
  return found;
}

class Sleep final : public LimitedWait {
 public:
  bool look(std::int64_t host_ns) override {
    const timespec time = clock_::from_ns(host_ns);
    return host_ns > 0 && host_clock_nanosleep()(CLOCK_MONOTONIC, 0, &time, nullptr) == EINTR;
  }
  [[nodiscard]] WaitReach reach() const override { return WaitReach::Nobody; }
};

/// A sleep that a timer of the program may end.
int sleep_beside_timers(std::int64_t ns, timespec* remain) {
  Sleep wait;
  if (run_wait(wait, ns) == WaitEnd::TimeIsUp) return 0;
  if (remain != nullptr) *remain = clock_::from_ns(wait.left_ns);
  return EINTR;
}

}  // namespace

ORRERY_REPLACES int clock_nanosleep(clockid_t clock, int flags, const timespec* request, timespec* remain) {
  const double* base_s = clock_::is_on() && clock_::is_valid(request) ? clock_::base_of(clock) : nullptr;
  if (base_s == nullptr) return host_clock_nanosleep()(clock, flags, request, remain);
  const bool until = (flags & TIMER_ABSTIME) != 0;
  const bool simulated = clock_::may_ask();
  const std::int64_t now_ns = until || !simulated ? clock_::ns_of(clock_::now(*base_s)) : 0;
  const std::int64_t ns = clock_::ns_of(*request) - (until ? now_ns : 0);
  if (ns <= 0) return 0;
  if (simulated && program_timers::any_armed()) return sleep_beside_timers(ns, until ? nullptr : remain);
  if (simulated) {
    clock_::sleep(ns);
    return 0;
  }
  // A deadline read from a simulated clock means nothing to the host's: what is left until then does.
  const timespec left = clock_::from_ns(ns);
  const int error = host_clock_nanosleep()(CLOCK_MONOTONIC, 0, &left, until ? nullptr : remain);
  if (error == 0) clock_::has_slept_until(*base_s, now_ns + ns);
  return error;
}

ORRERY_REPLACES int nanosleep(const timespec* request, timespec* remain) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, request, remain);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

ORRERY_REPLACES int thrd_sleep(const timespec* request, timespec* remain) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, request, remain);
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

ORRERY_REPLACES int usleep(useconds_t microseconds) {
  const timespec request = clock_::from_ns(std::int64_t{microseconds} * 1000);
  return nanosleep(&request, nullptr);
}

ORRERY_REPLACES unsigned int sleep(unsigned int seconds) {
  const timespec request{static_cast<time_t>(seconds), 0};
  timespec remain{};
  if (nanosleep(&request, &remain) == 0) return 0;
  return static_cast<unsigned int>(remain.tv_sec) + (remain.tv_nsec >= 500'000'000 ? 1 : 0);
}
