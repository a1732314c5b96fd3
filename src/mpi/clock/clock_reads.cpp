// SPDX-License-Identifier: BSD-3-Clause
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "mpi/clock/clock.hpp"
#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"
#include "mpi/process/before_init.hpp"

/// Clocks that programs read. In a process that is no rank, and for clocks that count processor time, each is the C
/// library's own.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

ORRERY_REPLACES int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const double* follows_s = clock_::base_of(clock);
  if (follows_s != nullptr) note(Personal::Clock);
  const double* base_s = clock_::is_on() ? follows_s : nullptr;
  if (base_s == nullptr) return host_clock::gettime(clock, time);
  if (is_null(time)) {
    errno = EFAULT;
    return -1;
  }
  *time = clock_::now(*base_s);
  return 0;
}

ORRERY_REPLACES int timespec_get(timespec* time, int base) noexcept {
  constexpr int monotonic = 2;  // TIME_MONOTONIC of C23
  note(Personal::Clock);
  if (!clock_::is_on() || (base != TIME_UTC && base != monotonic)) {
    static const auto original = next_function<int (*)(timespec*, int)>("timespec_get");
    return original(time, base);
  }
  return clock_gettime(base == TIME_UTC ? CLOCK_REALTIME : CLOCK_MONOTONIC, time) == 0 ? base : 0;
}

ORRERY_REPLACES int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
  if (zone != nullptr) {  // obsolete
    static const auto original = next_function<int (*)(timeval*, void*)>("gettimeofday");
    return original(time, zone);
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (!is_null(time)) *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

ORRERY_REPLACES time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (!is_null(result)) *result = now.tv_sec;
  return now.tv_sec;
}

/// What it gives counts from an arbitrary time; what it fills in is processor time.
ORRERY_REPLACES clock_t times(tms* processor) noexcept {
  static const auto original = next_function<clock_t (*)(tms*)>("times");
  static const long ticks_per_s = sysconf(_SC_CLK_TCK);
  const clock_t of_host = original(processor);
  if (!clock_::is_on() || of_host == static_cast<clock_t>(-1)) return of_host;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * ticks_per_s + now.tv_nsec / (1'000'000'000 / ticks_per_s);
}
