// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>
#include <threads.h>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/replaces.hpp"

/// Mutexes and reader-writer locks that are waited for until a time (std::timed_mutex, std::shared_timed_mutex).
using namespace orrery::mpi;

ORRERY_REPLACES int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  static const auto original = next_function<int (*)(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  return wait_until(CLOCK_REALTIME, deadline, {}, [&](const timespec* on_host) { return original(mutex, on_host); });
}

ORRERY_REPLACES int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* deadline) noexcept {
  using Function = int (*)(pthread_mutex_t*, clockid_t, const timespec*);
  static const auto original = next_function<Function>("pthread_mutex_clocklock");
  return wait_until(clock, deadline, {}, [&](const timespec* on_host) { return original(mutex, clock, on_host); });
}

ORRERY_REPLACES int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict deadline) {
  static const auto original = next_function<int (*)(mtx_t*, const timespec*)>("mtx_timedlock");
  const int error = wait_until(CLOCK_REALTIME, deadline, {}, [&](const timespec* on_host) {
    const int result = original(mutex, on_host);
    return result == thrd_timedout ? ETIMEDOUT : result == thrd_success ? 0 : EINVAL;
  });
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

namespace {

using Lock = int (*)(pthread_rwlock_t*, const timespec*);
using ClockLock = int (*)(pthread_rwlock_t*, clockid_t, const timespec*);

int lock_until(Lock original, pthread_rwlock_t* lock, const timespec* deadline) {
  return wait_until(CLOCK_REALTIME, deadline, {}, [&](const timespec* on_host) { return original(lock, on_host); });
}

int lock_until(ClockLock original, pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) {
  return wait_until(clock, deadline, {}, [&](const timespec* on_host) { return original(lock, clock, on_host); });
}

}  // namespace

ORRERY_REPLACES int pthread_rwlock_timedrdlock(pthread_rwlock_t* __restrict lock,
                                               const timespec* __restrict deadline) noexcept {
  static const auto original = next_function<Lock>("pthread_rwlock_timedrdlock");
  return lock_until(original, lock, deadline);
}

ORRERY_REPLACES int pthread_rwlock_timedwrlock(pthread_rwlock_t* __restrict lock,
                                               const timespec* __restrict deadline) noexcept {
  static const auto original = next_function<Lock>("pthread_rwlock_timedwrlock");
  return lock_until(original, lock, deadline);
}

ORRERY_REPLACES int pthread_rwlock_clockrdlock(pthread_rwlock_t* __restrict lock, clockid_t clock,
                                               const timespec* __restrict deadline) noexcept {
  static const auto original = next_function<ClockLock>("pthread_rwlock_clockrdlock");
  return lock_until(original, lock, clock, deadline);
}

ORRERY_REPLACES int pthread_rwlock_clockwrlock(pthread_rwlock_t* __restrict lock, clockid_t clock,
                                               const timespec* __restrict deadline) noexcept {
  static const auto original = next_function<ClockLock>("pthread_rwlock_clockwrlock");
  return lock_until(original, lock, clock, deadline);
}
