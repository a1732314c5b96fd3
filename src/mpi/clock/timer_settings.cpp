// SPDX-License-Identifier: BSD-3-Clause
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/program_timers.hpp"
#include "mpi/clock/replaces.hpp"

/// Timers that send signals, or that are read from descriptors. Those that count processor time are the C library's.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

using program_timers::no_slot;
using program_timers::Setting;
using program_timers::Slot;

std::int64_t ns_of(const timeval& time) { return clock_::ns_of({time.tv_sec, 0}) + time.tv_usec * 1000; }
timeval timeval_of(std::int64_t ns) {
  const timespec time = clock_::from_ns(ns);
  return {time.tv_sec, time.tv_nsec / 1000};
}

itimerval of(const Setting& setting) { return {timeval_of(setting.interval_ns), timeval_of(setting.left_ns)}; }

bool is_valid(const timeval& time) { return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000; }

itimerspec itimerspec_of(const Setting& setting) {
  return {clock_::from_ns(setting.interval_ns), clock_::from_ns(setting.left_ns)};
}

bool is_valid(const itimerspec* value) {
  return !is_null(value) && clock_::is_valid(&value->it_value) && clock_::is_valid(&value->it_interval);
}

/// A time of the clock that has passed fires at once.
Setting setting_of_value(const itimerspec& value, bool is_time, clockid_t clock) {
  Setting setting{clock_::ns_of(value.it_value), clock_::ns_of(value.it_interval)};
  if (is_time && setting.left_ns != 0) setting.left_ns = std::max<std::int64_t>(1, ns_until(value.it_value, clock) + 2);
  return setting;
}

void give(const Setting& setting, itimerspec* to) {
  if (to != nullptr) *to = itimerspec_of(setting);
}

/// What a program cannot see by itself is said once.
void say_by_host(const char* what) {
  static bool said = false;
  if (said) return;
  said = true;
  std::fprintf(stderr, "orrery: %s goes by the host's clock, not by simulated time\n", what);
}

}  // namespace

// --- setitimer, alarm ------------------------------------------------------------------------------------------------

ORRERY_REPLACES int setitimer(__itimer_which_t which, const itimerval* __restrict value,
                              itimerval* __restrict before) noexcept {
  using Function = int (*)(__itimer_which_t, const itimerval*, itimerval*);
  static const auto original = next_function<Function>("setitimer");
  const itimerval none{};
  if (is_null(value)) value = &none;  // as Linux does it
  const bool simulated =
      which == ITIMER_REAL && clock_::is_on() && is_valid(value->it_value) && is_valid(value->it_interval);
  if (!simulated) return original(which, value, before);
  itimerval of_host{};  // one from before MPI_Init may still run
  original(which, &none, &of_host);
  const Setting old =
      program_timers::set(program_timers::interval_timer(), {ns_of(value->it_value), ns_of(value->it_interval)});
  if (before != nullptr) *before = old.left_ns == 0 ? of_host : of(old);
  return 0;
}

ORRERY_REPLACES int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  static const auto original = next_function<int (*)(__itimer_which_t, itimerval*)>("getitimer");
  if (which != ITIMER_REAL || !clock_::is_on() || is_null(value)) return original(which, value);
  const Setting setting = program_timers::get(program_timers::interval_timer());
  if (setting.left_ns == 0) return original(which, value);  // one from before MPI_Init may still run
  *value = of(setting);
  return 0;
}

ORRERY_REPLACES unsigned int alarm(unsigned int seconds) noexcept {
  const itimerval value{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval before{};
  if (setitimer(ITIMER_REAL, &value, &before) != 0) return 0;
  const bool up = before.it_value.tv_usec >= 500'000 || (before.it_value.tv_sec == 0 && before.it_value.tv_usec > 0);
  return static_cast<unsigned int>(before.it_value.tv_sec) + (up ? 1 : 0);
}

ORRERY_REPLACES useconds_t ualarm(useconds_t microseconds, useconds_t interval) noexcept {
  const itimerval value{timeval_of(std::int64_t{interval} * 1000), timeval_of(std::int64_t{microseconds} * 1000)};
  itimerval before{};
  if (setitimer(ITIMER_REAL, &value, &before) != 0) return 0;
  return static_cast<useconds_t>(before.it_value.tv_sec * 1'000'000 + before.it_value.tv_usec);
}

// --- timer_create ----------------------------------------------------------------------------------------------------

/// The C library's timer is made as well, for its number, and never set.
ORRERY_REPLACES int timer_create(clockid_t clock, sigevent* __restrict event, timer_t* __restrict id) noexcept {
  static const auto original = next_function<int (*)(clockid_t, sigevent*, timer_t*)>("timer_create");
  const int result = original(clock, event, id);
  if (result != 0 || !clock_::is_on() || clock_::base_of(clock) == nullptr) return result;
  if (event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    say_by_host("a timer that runs its function in a thread (timer_create with SIGEV_THREAD)");
    return result;
  }
  sigevent usual{};
  usual.sigev_notify = SIGEV_SIGNAL;
  usual.sigev_signo = SIGALRM;
  if (program_timers::add_posix(*id, event == nullptr ? usual : *event, clock) == no_slot) {
    say_by_host("the 64th timer of a rank");
  }
  return result;
}

ORRERY_REPLACES int timer_settime(timer_t id, int flags, const itimerspec* __restrict value,
                                  itimerspec* __restrict before) noexcept {
  using Function = int (*)(timer_t, int, const itimerspec*, itimerspec*);
  static const auto original = next_function<Function>("timer_settime");
  const Slot slot = clock_::is_on() && is_valid(value) ? program_timers::find_posix(id) : no_slot;
  if (slot == no_slot) return original(id, flags, value, before);
  const bool is_time = (flags & TIMER_ABSTIME) != 0;
  give(program_timers::set(slot, setting_of_value(*value, is_time, program_timers::clock_of(slot))), before);
  return 0;
}

ORRERY_REPLACES int timer_gettime(timer_t id, itimerspec* value) noexcept {
  static const auto original = next_function<int (*)(timer_t, itimerspec*)>("timer_gettime");
  const Slot slot = clock_::is_on() && !is_null(value) ? program_timers::find_posix(id) : no_slot;
  if (slot == no_slot) return original(id, value);
  give(program_timers::get(slot), value);
  return 0;
}

ORRERY_REPLACES int timer_getoverrun(timer_t id) noexcept {
  static const auto original = next_function<int (*)(timer_t)>("timer_getoverrun");
  const Slot slot = clock_::is_on() ? program_timers::find_posix(id) : no_slot;
  return slot == no_slot ? original(id) : program_timers::overrun(slot);
}

ORRERY_REPLACES int timer_delete(timer_t id) noexcept {
  static const auto original = next_function<int (*)(timer_t)>("timer_delete");
  if (const Slot slot = clock_::is_on() ? program_timers::find_posix(id) : no_slot; slot != no_slot) {
    program_timers::remove(slot);
  }
  return original(id);
}

// --- timerfd ---------------------------------------------------------------------------------------------------------

ORRERY_REPLACES int timerfd_create(__clockid_t clock, int flags) noexcept {
  static const auto original = next_function<int (*)(clockid_t, int)>("timerfd_create");
  const int descriptor = original(clock, flags);
  if (descriptor < 0 || !clock_::is_on() || clock_::base_of(clock) == nullptr) return descriptor;
  if (program_timers::add_descriptor(descriptor, clock) == no_slot) say_by_host("the 64th timer of a rank");
  return descriptor;
}

ORRERY_REPLACES int timerfd_settime(int descriptor, int flags, const itimerspec* value, itimerspec* before) noexcept {
  using Function = int (*)(int, int, const itimerspec*, itimerspec*);
  static const auto original = next_function<Function>("timerfd_settime");
  const Slot slot = clock_::is_on() && is_valid(value) ? program_timers::find_descriptor(descriptor) : no_slot;
  if (slot == no_slot) return original(descriptor, flags, value, before);
  constexpr itimerspec never{};
  if (const int result = original(descriptor, 0, &never, nullptr); result != 0) return result;
  const bool is_time = (flags & TFD_TIMER_ABSTIME) != 0;
  give(program_timers::set(slot, setting_of_value(*value, is_time, program_timers::clock_of(slot))), before);
  return 0;
}

ORRERY_REPLACES int timerfd_gettime(int descriptor, itimerspec* value) noexcept {
  static const auto original = next_function<int (*)(int, itimerspec*)>("timerfd_gettime");
  const Slot slot = clock_::is_on() && !is_null(value) ? program_timers::find_descriptor(descriptor) : no_slot;
  if (slot == no_slot) return original(descriptor, value);
  give(program_timers::get(slot), value);
  return 0;
}
