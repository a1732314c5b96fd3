// SPDX-License-Identifier: BSD-3-Clause
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/program_timers.hpp"
#include "mpi/clock/replaces.hpp"

/// Waits for signals: with a limit, or while timers are armed, whose signals come by simulated time.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

bool timers_run() { return clock_::is_on() && program_timers::any_armed(); }

using Sigtimedwait = int (*)(const sigset_t*, siginfo_t*, const timespec*);
Sigtimedwait host_sigtimedwait() {
  static const auto found = next_function<Sigtimedwait>("sigtimedwait");
  return found;
}

/// For signals that are blocked and taken.
class TakenSignalWait final : public LimitedWait {
 public:
  TakenSignalWait(const sigset_t* set, siginfo_t* info) : set_(set), info_(info) {}

  bool look(std::int64_t host_ns) override {
    const timespec longest = clock_::from_ns(host_ns);
    signal = host_sigtimedwait()(set_, info_, host_ns == for_ever ? nullptr : &longest);
    return signal >= 0 || errno != EAGAIN;
  }
  [[nodiscard]] WaitReach reach() const override { return WaitReach::OtherRanks; }

  int signal = -1;

 private:
  const sigset_t* set_;
  siginfo_t* info_;
};

/// For signals whose handlers run, with these blocked.
class HandledSignalWait final : public LimitedWait {
 public:
  explicit HandledSignalWait(const sigset_t& mask) : mask_(mask) {}

  bool look(std::int64_t host_ns) override {
    static const auto wait = next_function<int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
    const timespec longest = clock_::from_ns(host_ns);
    return wait(nullptr, 0, host_ns == for_ever ? nullptr : &longest, &mask_) != 0;
  }
  [[nodiscard]] WaitReach reach() const override { return WaitReach::OtherRanks; }

 private:
  sigset_t mask_;
};

int take_signal(const sigset_t* set, siginfo_t* info, std::int64_t limit_ns) {
  TakenSignalWait wait(set, info);
  switch (run_wait(wait, limit_ns)) {
    case WaitEnd::Over: return wait.signal;
    case WaitEnd::Interrupted: return set_errno(EINTR);
    case WaitEnd::TimeIsUp: break;
  }
  return set_errno(EAGAIN);
}

/// What comes between two looks is kept back until the next.
int wait_for_handler(const sigset_t& mask) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  HandledSignalWait wait(mask);
  (void)run_wait(wait, for_ever, &mask);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return set_errno(EINTR);
}

}  // namespace

ORRERY_REPLACES int sigtimedwait(const sigset_t* __restrict set, siginfo_t* __restrict info,
                                 const timespec* __restrict limit) {
  if (!clock_::is_on() || !clock_::is_valid(limit)) return host_sigtimedwait()(set, info, limit);
  return take_signal(set, info, clock_::ns_of(*limit));
}

ORRERY_REPLACES int sigwaitinfo(const sigset_t* __restrict set, siginfo_t* __restrict info) {
  static const auto original = next_function<int (*)(const sigset_t*, siginfo_t*)>("sigwaitinfo");
  return timers_run() ? take_signal(set, info, for_ever) : original(set, info);
}

ORRERY_REPLACES int sigwait(const sigset_t* __restrict set, int* __restrict signal) {
  static const auto original = next_function<int (*)(const sigset_t*, int*)>("sigwait");
  if (!timers_run()) return original(set, signal);
  int taken = -1;
  while ((taken = take_signal(set, nullptr, for_ever)) < 0 && errno == EINTR) {
  }
  if (taken < 0) return errno;
  *signal = taken;
  return 0;
}

ORRERY_REPLACES int pause() {
  static const auto original = next_function<int (*)()>("pause");
  if (!timers_run()) return original();
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return wait_for_handler(mask);
}

ORRERY_REPLACES int sigsuspend(const sigset_t* mask) {
  static const auto original = next_function<int (*)(const sigset_t*)>("sigsuspend");
  return timers_run() && !is_null(mask) ? wait_for_handler(*mask) : original(mask);
}
