// SPDX-License-Identifier: BSD-3-Clause
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

#include <cerrno>

#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"

/// Sleeps of the C library. Only the thread that has initialised MPI sleeps in simulated time; any other sleeps as long
/// on the host, so that those that compute get on meanwhile (docs/design/threads.md).
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

ORRERY_REPLACES int clock_nanosleep(clockid_t clock, int flags, const timespec* request, timespec* remain) {
  static const auto original = next_function<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  const double* base_s = clock_::is_on() && clock_::is_valid(request) ? clock_::base_of(clock) : nullptr;
  if (base_s == nullptr) return original(clock, flags, request, remain);
  const bool until = (flags & TIMER_ABSTIME) != 0;
  const bool simulated = clock_::may_ask();
  const std::int64_t now_ns = until || !simulated ? clock_::ns_of(clock_::now(*base_s)) : 0;
  const std::int64_t ns = clock_::ns_of(*request) - (until ? now_ns : 0);
  if (ns <= 0) return 0;
  if (simulated) {
    clock_::sleep(ns);
    return 0;
  }
  // A deadline read from a simulated clock means nothing to the host's: what is left until then does.
  const timespec left = clock_::from_ns(ns);
  const int error = original(CLOCK_MONOTONIC, 0, &left, until ? nullptr : remain);
  if (error == 0) clock_::has_slept_until(*base_s, now_ns + ns);
  return error;
}

ORRERY_REPLACES int nanosleep(const timespec* request, timespec* remain) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, request, remain);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

ORRERY_REPLACES int usleep(useconds_t microseconds) {
  const timespec request = clock_::from_ns(std::int64_t{microseconds} * 1000);
  return nanosleep(&request, nullptr);
}

ORRERY_REPLACES unsigned int sleep(unsigned int seconds) {
  const timespec request{static_cast<time_t>(seconds), 0};
  timespec remain{};
  return nanosleep(&request, &remain) == 0 ? 0 : static_cast<unsigned int>(remain.tv_sec);
}

// Without descriptors these sleep: the idiom of programs that are older than nanosleep.

ORRERY_REPLACES int select(int n, fd_set* read, fd_set* write, fd_set* except, timeval* timeout) {
  static const auto original = next_function<int (*)(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  const bool sleeps = n == 0 && read == nullptr && write == nullptr && except == nullptr && timeout != nullptr;
  if (!sleeps || timeout->tv_sec < 0 || timeout->tv_usec < 0) return original(n, read, write, except, timeout);
  const timespec request = clock_::from_ns(std::int64_t{timeout->tv_sec} * 1'000'000'000 + timeout->tv_usec * 1000);
  return nanosleep(&request, nullptr);
}

ORRERY_REPLACES int poll(pollfd* descriptors, nfds_t n, int timeout_ms) {
  static const auto original = next_function<int (*)(pollfd*, nfds_t, int)>("poll");
  if (n != 0 || timeout_ms <= 0) return original(descriptors, n, timeout_ms);
  const timespec request = clock_::from_ns(std::int64_t{timeout_ms} * 1'000'000);
  return nanosleep(&request, nullptr);
}
