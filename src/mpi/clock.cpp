// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <ctime>

#include "mpi/process.hpp"

namespace orrery::mpi {
namespace {

constexpr double ns_per_s = 1e9;

// --- the host's clocks -----------------------------------------------------------------------------------------------

using ClockGettime = int (*)(clockid_t, timespec*);

int by_system_call(clockid_t clock, timespec* time) {
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

/// The C library's function, which needs no system call. It is looked up once; the look-up may itself read a clock.
ClockGettime host_clock_gettime() {
  static std::atomic<ClockGettime> found{nullptr};
  static std::atomic<bool> looking{false};
  if (const ClockGettime known = found.load(std::memory_order_acquire)) return known;
  if (looking.exchange(true)) return by_system_call;
  auto function = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  if (function == nullptr) function = by_system_call;
  found.store(function, std::memory_order_release);
  return function;
}

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  host_clock_gettime()(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// --- the simulated ones ----------------------------------------------------------------------------------------------

/// What the process's clocks follow. One per process, as the clocks are.
struct SimulatedClocks {
  std::atomic<bool> on{false};
  Rank* rank = nullptr;
  pthread_t thread{};
  double realtime_base_s = 0;   ///< CLOCK_REALTIME at simulated time 0
  double monotonic_base_s = 0;  ///< CLOCK_MONOTONIC at simulated time 0: what it said in MPI_Init, so that it never
                                ///< runs backwards
  double given_s = 0;           ///< simulated time that `thread` was told last
  std::atomic<double> given_others_s{0};
};
SimulatedClocks clocks;

bool is_simulated() { return clocks.on.load(std::memory_order_acquire); }

/// Whether the calling thread may speak to the kernel now.
bool may_ask() {
  return rank_if_running() == clocks.rank && pthread_equal(pthread_self(), clocks.thread) != 0 &&
         !clocks.rank->in_call();
}

/// What a clock read outside of any MPI call costs and carries: the computation before it.
class OutsideCall {
 public:
  OutsideCall() { clocks.rank->enter(0); }
  ~OutsideCall() { clocks.rank->leave(); }
};

/// What the last answer said, and what has passed on the host since: a thread that may not ask must see time pass too.
/// That can be ahead of what the next answer says, so no thread is given less than it was before.
double last_heard_s() {
  const double now_s = clocks.rank->last_simulated_s();
  if (pthread_equal(pthread_self(), clocks.thread) != 0) return clocks.given_s = std::max(clocks.given_s, now_s);
  double given_s = clocks.given_others_s.load(std::memory_order_relaxed);
  while (given_s < now_s && !clocks.given_others_s.compare_exchange_weak(given_s, now_s)) {
  }
  return std::max(given_s, now_s);
}

double simulated_s() {
  if (!may_ask()) return last_heard_s();
  const OutsideCall call;
  return clocks.given_s = std::max(clocks.given_s, clocks.rank->simulated_now());
}

/// Seconds at simulated time 0 of a clock that follows it; no value for clocks that count processor time.
const double* base_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return &clocks.realtime_base_s;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: return &clocks.monotonic_base_s;
    default: return nullptr;
  }
}

/// Added in whole seconds and nanoseconds: seconds since 1970 in a double would be exact to 0.2 µs only.
timespec sum(double base_s, double more_s) {
  const double base_whole = std::floor(base_s);
  const double more_whole = std::floor(more_s);
  auto seconds = static_cast<time_t>(base_whole) + static_cast<time_t>(more_whole);
  auto ns = static_cast<long>((base_s - base_whole) * ns_per_s) + static_cast<long>((more_s - more_whole) * ns_per_s);
  if (ns >= 1'000'000'000) {
    ns -= 1'000'000'000;
    ++seconds;
  }
  return {seconds, ns};
}

bool is_valid(const timespec* time) {
  return time != nullptr && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000;
}

std::int64_t ns_of(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

/// Lets simulated time pass; none of the host's does.
void sleep_simulated(std::int64_t ns) {
  const OutsideCall call;
  clocks.rank->push({.kind = op::Kind::Sleep, .bytes = {ns}});
}

template <class Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

std::int64_t host_clock::monotonic_ns() { return read_ns(CLOCK_MONOTONIC); }

std::int64_t host_clock::thread_cpu_ns() { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

double wtime() {
  if (process().rank != nullptr && rank_if_running() == nullptr) return process().rank->last_simulated_s();
  return this_rank().simulated_now();
}

double wtick() { return 1e-9; }

void start_simulated_clocks(Rank& rank) {
  if (rank.settings().simulated_clock == 0) return;
  clocks.rank = &rank;
  clocks.thread = pthread_self();
  clocks.realtime_base_s = rank.settings().epoch_s;
  clocks.monotonic_base_s = static_cast<double>(host_clock::monotonic_ns()) / ns_per_s;
  clocks.on.store(true, std::memory_order_release);
}

void stop_simulated_clocks() { clocks.on.store(false, std::memory_order_release); }

}  // namespace orrery::mpi

// --- what the program calls ------------------------------------------------------------------------------------------
// In a process that is no rank, and for clocks that count processor time, each is the C library's own.

using namespace orrery::mpi;

#define ORRERY_REPLACES extern "C" __attribute__((visibility("default")))

ORRERY_REPLACES int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const double* base_s = is_simulated() ? base_of(clock) : nullptr;
  if (base_s == nullptr) return host_clock_gettime()(clock, time);
  *time = sum(*base_s, simulated_s());
  return 0;
}

ORRERY_REPLACES int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
  if (zone != nullptr) {  // obsolete
    static const auto original = next_function<int (*)(timeval*, void*)>("gettimeofday");
    return original(time, zone);
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

ORRERY_REPLACES time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

ORRERY_REPLACES int clock_nanosleep(clockid_t clock, int flags, const timespec* request, timespec* remain) {
  static const auto original = next_function<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  const double* base_s = is_simulated() && is_valid(request) ? base_of(clock) : nullptr;
  const bool until = (flags & TIMER_ABSTIME) != 0;
  if (base_s == nullptr || (!until && !may_ask())) return original(clock, flags, request, remain);
  std::int64_t ns = ns_of(*request);
  if (until) ns -= ns_of(sum(*base_s, simulated_s()));
  if (ns <= 0) return 0;
  if (may_ask()) {
    sleep_simulated(ns);
    return 0;
  }
  // A deadline read from a simulated clock means nothing to the host's: what is left until then does.
  const timespec left{ns / 1'000'000'000, ns % 1'000'000'000};
  return original(CLOCK_MONOTONIC, 0, &left, nullptr);
}

ORRERY_REPLACES int nanosleep(const timespec* request, timespec* remain) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, request, remain);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

ORRERY_REPLACES int usleep(useconds_t microseconds) {
  const timespec request{static_cast<time_t>(microseconds / 1'000'000),
                         static_cast<long>(microseconds % 1'000'000) * 1000};
  return nanosleep(&request, nullptr);
}

ORRERY_REPLACES unsigned int sleep(unsigned int seconds) {
  const timespec request{static_cast<time_t>(seconds), 0};
  timespec remain{};
  return nanosleep(&request, &remain) == 0 ? 0 : static_cast<unsigned int>(remain.tv_sec);
}
