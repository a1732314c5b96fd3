// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>
#include <threads.h>

#include <cstdlib>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/replaces.hpp"

/// Condition variables that are waited for until a time. A signal that comes while nobody waits is lost, so such a wait
/// is one on the host, too, unless nobody can end it.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

/// The clock that a deadline was read from, where only the object knows: those two are decades apart.
clockid_t clock_of(const timespec* deadline) {
  if (!clock_::is_on() || !clock_::is_valid(deadline)) return CLOCK_REALTIME;
  const auto away = [&](clockid_t clock) { return std::llabs(ns_until(*deadline, clock)); };
  return away(CLOCK_REALTIME) < away(CLOCK_MONOTONIC) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

/// The C library keeps in the lowest bit whether the condition is shared between processes.
Waiting waiting_for(const pthread_cond_t* condition) {
  const bool shared = (condition->__data.__wrefs & 1) != 0;
  return {.reach = shared ? WaitReach::OtherProcesses : WaitReach::OwnThreads, .may_look_again = false};
}

}  // namespace

ORRERY_REPLACES int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           const timespec* deadline) {
  using Function = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  static const auto original = next_function<Function>("pthread_cond_timedwait");
  return wait_until(clock_of(deadline), deadline, waiting_for(condition),
                    [&](const timespec* on_host) { return original(condition, mutex, on_host); });
}

ORRERY_REPLACES int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                           const timespec* deadline) {
  using Function = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static const auto original = next_function<Function>("pthread_cond_clockwait");
  return wait_until(clock, deadline, waiting_for(condition),
                    [&](const timespec* on_host) { return original(condition, mutex, clock, on_host); });
}

/// The C library has one kind of condition, under two names.
ORRERY_REPLACES int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* deadline) {
  static const auto original = next_function<int (*)(cnd_t*, mtx_t*, const timespec*)>("cnd_timedwait");
  const auto waiting = waiting_for(reinterpret_cast<const pthread_cond_t*>(condition));
  const int error = wait_until(CLOCK_REALTIME, deadline, waiting, [&](const timespec* on_host) {
    const int result = original(condition, mutex, on_host);
    return result == thrd_timedout ? ETIMEDOUT : result == thrd_success ? 0 : EINVAL;
  });
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}
