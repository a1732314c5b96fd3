// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/clock.hpp"

#include <dlfcn.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"
#include "mpi/process/process.hpp"
#include "op/sleep.hpp"

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
  const auto function = next_function<ClockGettime>("clock_gettime");
  found.store(function, std::memory_order_release);
  return function;
}

// --- the simulated ones ----------------------------------------------------------------------------------------------

/// A function of each file of replacements, so that linkers, which take from an archive what is asked for, take them.
[[gnu::used]] void (*const replaced[])() = {reinterpret_cast<void (*)()>(&times),
                                            reinterpret_cast<void (*)()>(&pthread_cond_clockwait),
                                            reinterpret_cast<void (*)()>(&epoll_pwait),
                                            reinterpret_cast<void (*)()>(&syscall),
                                            reinterpret_cast<void (*)()>(&pthread_timedjoin_np),
                                            reinterpret_cast<void (*)()>(&pthread_mutex_clocklock),
                                            reinterpret_cast<void (*)()>(&mq_timedsend),
                                            reinterpret_cast<void (*)()>(&sem_clockwait),
                                            reinterpret_cast<void (*)()>(&sigtimedwait),
                                            reinterpret_cast<void (*)()>(&clock_nanosleep),
                                            reinterpret_cast<void (*)()>(&accept4),
                                            reinterpret_cast<void (*)()>(&timer_settime)};

/// What the process's clocks follow. One per process, as the clocks are.
struct SimulatedClocks {
  std::atomic<bool> on{false};
  Rank* rank = nullptr;
  pthread_t thread{};
  pid_t thread_number = 0;      ///< of the same, as the system numbers it
  double realtime_base_s = 0;   ///< CLOCK_REALTIME at simulated time 0
  double monotonic_base_s = 0;  ///< CLOCK_MONOTONIC at simulated time 0: what it said in MPI_Init, so that it never
                                ///< runs backwards
  double given_s = 0;           ///< simulated time that `thread` was told last
  std::atomic<double> given_others_s{0};
  std::atomic<double> slept_until_s{0};  ///< simulated time that threads have slept until, not told yet; 0: none
};
SimulatedClocks clocks;

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
  if (!simulated_clock::may_ask()) return last_heard_s();
  const OutsideCall call;
  return clocks.given_s = std::max(clocks.given_s, clocks.rank->simulated_now());
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

/// Whether all threads of the process but this one sleep, outside of MPI: the state of each is behind its name in
/// parentheses. One that has ended meanwhile has none.
bool all_others_wait() {
  if (clocks.rank->block().in_call.load(std::memory_order_relaxed) != 0) return false;
  const std::string self = std::to_string(gettid());
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    if (task.path().filename() == self) continue;
    std::ifstream file(task.path() / "stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const std::size_t name_end = stat.rfind(')');
    if (name_end != std::string::npos && stat.compare(name_end, 3, ") S") != 0) return false;
  }
  return true;
}

}  // namespace

// --- what the replacements know --------------------------------------------------------------------------------------

bool simulated_clock::is_on() { return clocks.on.load(std::memory_order_acquire); }

bool simulated_clock::may_ask() {
  return rank_if_running() == clocks.rank && pthread_equal(pthread_self(), clocks.thread) != 0 &&
         !clocks.rank->in_call();
}

pid_t simulated_clock::asking_thread() { return clocks.thread_number; }

const double* simulated_clock::base_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return &clocks.realtime_base_s;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_BOOTTIME: return &clocks.monotonic_base_s;
    default: return nullptr;
  }
}

timespec simulated_clock::now(double base_s) { return sum(base_s, simulated_s()); }

void simulated_clock::sleep(std::int64_t ns) {
  const OutsideCall call;
  clocks.rank->push(op::sleep(ns));
}

std::int64_t simulated_clock::now_ns() { return ns_of(now(clocks.monotonic_base_s)); }

bool simulated_clock::in_library() {
  if (pthread_equal(pthread_self(), clocks.thread) == 0 && !clocks.rank->allows_threads()) return false;
  return clocks.rank->in_call();
}

bool simulated_clock::is_only_rank() { return clocks.rank->settings().born.load(std::memory_order_acquire) == 1; }

std::int64_t simulated_clock::answered_ns() { return ns_of(sum(clocks.monotonic_base_s, clocks.rank->answered_s())); }

double simulated_clock::computation_factor() {
  if (clocks.rank->settings().measure_compute == 0) return 0;
  return clocks.rank->memory().compute_factor(clocks.rank->world_rank());
}

void simulated_clock::has_slept_until(double base_s, std::int64_t until_ns) {
  if (rank_if_running() != clocks.rank || !all_others_wait()) return;
  is_at_least(until_ns - ns_of(sum(base_s, 0)) + ns_of(sum(clocks.monotonic_base_s, 0)));
}

void simulated_clock::is_at_least(std::int64_t ns) {
  const double until_s = static_cast<double>(ns - ns_of(sum(clocks.monotonic_base_s, 0))) / ns_per_s;
  double known_s = clocks.slept_until_s.load(std::memory_order_relaxed);
  while (known_s < until_s && !clocks.slept_until_s.compare_exchange_weak(known_s, until_s)) {
  }
}

bool simulated_clock::is_behind() { return clocks.slept_until_s.load(std::memory_order_relaxed) > 0; }

void simulated_clock::catch_up() {
  const double left_s = clocks.slept_until_s.exchange(0) - clocks.rank->simulated_now();
  if (left_s > 0) clocks.rank->push(op::sleep(std::llround(left_s * ns_per_s)));
}

// --- the room's own --------------------------------------------------------------------------------------------------

int host_clock::gettime(clockid_t clock, timespec* time) { return host_clock_gettime()(clock, time); }

std::int64_t host_clock::read_ns(clockid_t clock) {
  timespec time{};
  gettime(clock, &time);
  return simulated_clock::ns_of(time);
}

std::int64_t host_clock::monotonic_ns() { return read_ns(CLOCK_MONOTONIC); }

std::int64_t host_clock::thread_cpu_ns() { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

double wtime() {
  if (process().alone) return static_cast<double>(host_clock::monotonic_ns()) / ns_per_s;
  if (process().rank != nullptr && rank_if_running() == nullptr) return process().rank->last_simulated_s();
  return this_rank().simulated_now();
}

double wtick() { return 1e-9; }

void start_simulated_clocks(Rank& rank) {
  if (rank.settings().simulated_clock == 0) return;
  clocks.rank = &rank;
  clocks.thread = pthread_self();
  clocks.thread_number = gettid();
  clocks.realtime_base_s = rank.settings().epoch_s;
  clocks.monotonic_base_s = static_cast<double>(host_clock::monotonic_ns()) / ns_per_s;
  clocks.on.store(true, std::memory_order_release);
}

void stop_simulated_clocks() { clocks.on.store(false, std::memory_order_release); }

}  // namespace orrery::mpi
