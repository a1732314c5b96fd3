// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <cstdlib>

#include "mpi/clock/clock.hpp"
#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"

/// Waits of the C library that end at a time at the latest. The program computes that time from its clock, which is the
/// simulated one; the C library compares it with the host's.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

std::int64_t ns_until(const timespec& deadline, double base_s) {
  return clock_::ns_of(deadline) - clock_::ns_of(clock_::now(base_s));
}

/// Waits as long on the host as is left until the deadline, by `wait(deadline on the host)`, which gives an error. If
/// nothing has happened by then, simulated time is that late, too.
template <class Wait>
int wait_until(clockid_t clock, const timespec* deadline, Wait&& wait) {
  const double* base_s = clock_::is_on() && clock_::is_valid(deadline) ? clock_::base_of(clock) : nullptr;
  if (base_s == nullptr) return wait(deadline);
  const std::int64_t left_ns = ns_until(*deadline, *base_s);
  const timespec on_host = clock_::from_ns(host_clock::read_ns(clock) + left_ns);
  const int error = wait(&on_host);
  if (error != ETIMEDOUT) return error;
  if (!clock_::may_ask()) {
    clock_::has_slept_until(*base_s, clock_::ns_of(*deadline));
  } else if (const std::int64_t ns = ns_until(*deadline, *base_s); ns > 0) {
    clock_::sleep(ns + 1);  // what the clock says is rounded down: it must not be earlier than the limit
  }
  return error;
}

/// The clock that a deadline was read from, where only the object knows: those two are decades apart.
clockid_t clock_of(const timespec* deadline) {
  if (!clock_::is_on() || !clock_::is_valid(deadline)) return CLOCK_REALTIME;
  const auto away = [&](clockid_t clock) { return std::llabs(ns_until(*deadline, *clock_::base_of(clock))); };
  return away(CLOCK_REALTIME) < away(CLOCK_MONOTONIC) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

/// An error as semaphores give it, and back.
int errno_of(int result) { return result == 0 ? 0 : errno; }
int set_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

ORRERY_REPLACES int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           const timespec* deadline) {
  using Function = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  static const auto original = next_function<Function>("pthread_cond_timedwait");
  return wait_until(clock_of(deadline), deadline,
                    [&](const timespec* on_host) { return original(condition, mutex, on_host); });
}

ORRERY_REPLACES int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                           const timespec* deadline) {
  using Function = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static const auto original = next_function<Function>("pthread_cond_clockwait");
  return wait_until(clock, deadline,
                    [&](const timespec* on_host) { return original(condition, mutex, clock, on_host); });
}

ORRERY_REPLACES int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  static const auto original = next_function<int (*)(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  return wait_until(CLOCK_REALTIME, deadline, [&](const timespec* on_host) { return original(mutex, on_host); });
}

ORRERY_REPLACES int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* deadline) noexcept {
  using Function = int (*)(pthread_mutex_t*, clockid_t, const timespec*);
  static const auto original = next_function<Function>("pthread_mutex_clocklock");
  return wait_until(clock, deadline, [&](const timespec* on_host) { return original(mutex, clock, on_host); });
}

ORRERY_REPLACES int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  static const auto original = next_function<int (*)(sem_t*, const timespec*)>("sem_timedwait");
  return set_errno(wait_until(CLOCK_REALTIME, deadline,
                              [&](const timespec* on_host) { return errno_of(original(semaphore, on_host)); }));
}

ORRERY_REPLACES int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  static const auto original = next_function<int (*)(sem_t*, clockid_t, const timespec*)>("sem_clockwait");
  return set_errno(wait_until(clock, deadline,
                              [&](const timespec* on_host) { return errno_of(original(semaphore, clock, on_host)); }));
}
