// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/replaces.hpp"

/// Threads that are waited for until a time.
using namespace orrery::mpi;

ORRERY_REPLACES int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* deadline) {
  static const auto original = next_function<int (*)(pthread_t, void**, const timespec*)>("pthread_timedjoin_np");
  return wait_until(CLOCK_REALTIME, deadline, {.reach = WaitReach::OwnThreads},
                    [&](const timespec* on_host) { return original(thread, result, on_host); });
}

ORRERY_REPLACES int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* deadline) {
  using Function = int (*)(pthread_t, void**, clockid_t, const timespec*);
  static const auto original = next_function<Function>("pthread_clockjoin_np");
  return wait_until(clock, deadline, {.reach = WaitReach::OwnThreads},
                    [&](const timespec* on_host) { return original(thread, result, clock, on_host); });
}
