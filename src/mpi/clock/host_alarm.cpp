// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/host_alarm.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>

#include "base/errno_kept.hpp"
#include "mpi/clock/clock.hpp"
#include "mpi/clock/limited_wait.hpp"
#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"

namespace orrery::mpi {
namespace {

namespace clock_ = simulated_clock;

/// A signal that hardly any program uses.
int own_signal() { return SIGRTMAX - 1; }

constexpr std::int64_t alarm_again_ns = 1'000'000;
constexpr std::int64_t rings_later_ns = 10'000'000;  ///< while the program is in an MPI call

/// What is known since the alarm was set. Written by the one thread that has initialised MPI, and its signal handler.
struct Alarm {
  bool made = false;
  timer_t timer{};
  host_alarm::Ring handler = nullptr;
  std::int64_t now_ns = 0;        ///< simulated time, when
  std::int64_t host_ns = 0;       ///< the host's clock said this, and
  std::int64_t processor_ns = 0;  ///< that of the thread's processor time this
};
Alarm alarm_;

using Settime = int (*)(timer_t, int, const itimerspec*, itimerspec*);
Settime host_settime() {
  static const auto found = next_function<Settime>("timer_settime");
  return found;
}

void set_timer(std::int64_t ns) {
  const itimerspec once{{0, 0}, clock_::from_ns(ns)};
  host_settime()(alarm_.timer, 0, &once, nullptr);
}

/// Simulated time that has passed: a thread that has had the processor for a part of the time computes.
std::int64_t passed_ns(std::int64_t host_ns, std::int64_t processor_ns) {
  constexpr std::int64_t idle_part = 50;
  const double factor = clock_::computation_factor();
  if (factor == 0 || processor_ns < host_ns / idle_part) return host_ns;
  return static_cast<std::int64_t>(factor * static_cast<double>(processor_ns));
}

void look() {
  const std::int64_t host_ns = host_clock::monotonic_ns();
  const std::int64_t processor_ns = host_clock::thread_cpu_ns();
  const std::int64_t passed = passed_ns(host_ns - alarm_.host_ns, processor_ns - alarm_.processor_ns);
  alarm_.host_ns = host_ns;
  alarm_.processor_ns = processor_ns;
  if (!clock_::may_ask()) return set_timer(rings_later_ns);
  alarm_.now_ns = std::max(alarm_.now_ns + passed, clock_::answered_ns());
  const std::int64_t next_ns = alarm_.handler(alarm_.now_ns);
  if (next_ns == host_alarm::soon) return set_timer(alarm_again_ns);
  if (next_ns != for_ever) set_timer(std::max(next_ns - alarm_.now_ns, alarm_again_ns));
}

void on_signal(int) {
  const ErrnoKept kept;
  if (clock_::is_on()) look();
}

/// A system call that it interrupts goes on as it would after the program's own signal, which follows.
void handle_signal(bool restarts) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = restarts ? SA_RESTART : 0;
  sigfillset(&action.sa_mask);
  sigaction(own_signal(), &action, nullptr);
}

bool make() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = own_signal();
  event._sigev_un._tid = clock_::asking_thread();
  static const auto create = next_function<int (*)(clockid_t, sigevent*, timer_t*)>("timer_create");
  return create(CLOCK_MONOTONIC, &event, &alarm_.timer) == 0;
}

}  // namespace

void host_alarm::ring(std::int64_t now_ns, std::int64_t at_ns, bool restarts, Ring handler) {
  if (!alarm_.made) alarm_.made = make();
  if (!alarm_.made) return;
  set_timer(0);
  if (at_ns == for_ever) return;
  handle_signal(restarts);
  alarm_.handler = handler;
  alarm_.now_ns = now_ns;
  alarm_.host_ns = host_clock::monotonic_ns();
  alarm_.processor_ns = host_clock::thread_cpu_ns();
  set_timer(std::max(at_ns - now_ns, alarm_again_ns));
}

void host_alarm::stop() {
  if (alarm_.made) set_timer(0);
}

}  // namespace orrery::mpi
