// SPDX-License-Identifier: BSD-3-Clause
#include <semaphore.h>
#include <sys/sem.h>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/replaces.hpp"

/// Semaphores of POSIX and of System V that are waited for, for a time.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

ORRERY_REPLACES int sem_timedwait(sem_t* __restrict semaphore, const timespec* __restrict deadline) {
  static const auto original = next_function<int (*)(sem_t*, const timespec*)>("sem_timedwait");
  return set_errno(wait_until(CLOCK_REALTIME, deadline, {.interruptible = true},
                              [&](const timespec* on_host) { return errno_of(original(semaphore, on_host)); }));
}

ORRERY_REPLACES int sem_clockwait(sem_t* __restrict semaphore, clockid_t clock, const timespec* __restrict deadline) {
  static const auto original = next_function<int (*)(sem_t*, clockid_t, const timespec*)>("sem_clockwait");
  return set_errno(wait_until(clock, deadline, {.interruptible = true},
                              [&](const timespec* on_host) { return errno_of(original(semaphore, clock, on_host)); }));
}

namespace {

using Semtimedop = int (*)(int, sembuf*, std::size_t, const timespec*);

class SemaphoreSetWait final : public LimitedWait {
 public:
  SemaphoreSetWait(Semtimedop original, int set, sembuf* operations, std::size_t n)
      : original_(original), set_(set), operations_(operations), n_(n) {}

  bool look(std::int64_t host_ns) override {
    const timespec longest = clock_::from_ns(host_ns);
    result = original_(set_, operations_, n_, host_ns == for_ever ? nullptr : &longest);
    return result == 0 || errno != EAGAIN;
  }
  [[nodiscard]] WaitReach reach() const override { return WaitReach::OtherProcesses; }

  int result = -1;

 private:
  Semtimedop original_;
  int set_;
  sembuf* operations_;
  std::size_t n_;
};

}  // namespace

ORRERY_REPLACES int semtimedop(int set, sembuf* operations, std::size_t n, const timespec* limit) noexcept {
  static const auto original = next_function<Semtimedop>("semtimedop");
  if (!clock_::is_on() || !clock_::is_valid(limit)) return original(set, operations, n, limit);
  SemaphoreSetWait wait(original, set, operations, n);
  switch (run_wait(wait, clock_::ns_of(*limit))) {
    case WaitEnd::Over: return wait.result;
    case WaitEnd::Interrupted: return set_errno(EINTR);
    case WaitEnd::TimeIsUp: break;
  }
  return set_errno(EAGAIN);
}
