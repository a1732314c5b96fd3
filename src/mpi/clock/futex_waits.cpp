// SPDX-License-Identifier: BSD-3-Clause
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/replaces.hpp"

/// Waits on a word of memory, which have no function of their own: futures, std::counting_semaphore and
/// std::binary_semaphore of C++ enter them by `syscall`. Any other system call is passed on.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

using Syscall = long (*)(long, long, long, long, long, long, long);
Syscall host_syscall() {
  static const auto found = next_function<Syscall>("syscall");
  return found;
}

struct FutexCall {
  long word, operation, value, limit, other_word, mask;

  [[nodiscard]] long command() const { return operation & FUTEX_CMD_MASK; }
  [[nodiscard]] bool is_private() const { return (operation & FUTEX_PRIVATE_FLAG) != 0; }
  [[nodiscard]] clockid_t clock() const {
    return (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  }
  [[nodiscard]] const timespec* time() const { return reinterpret_cast<const timespec*>(limit); }
  [[nodiscard]] bool is_limited_wait() const {
    return (command() == FUTEX_WAIT || command() == FUTEX_WAIT_BITSET) && clock_::is_valid(time());
  }
  /// That of FUTEX_WAIT counts from now, that of FUTEX_WAIT_BITSET is a time.
  [[nodiscard]] std::int64_t left_ns() const {
    return command() == FUTEX_WAIT ? clock_::ns_of(*time()) : ns_until(*time(), clock()) + 2;
  }
};

class FutexWait final : public LimitedWait {
 public:
  explicit FutexWait(const FutexCall& call) : call_(call) {}

  bool look(std::int64_t host_ns) override {
    const bool from_now = call_.command() == FUTEX_WAIT;
    const std::int64_t now_ns = from_now ? 0 : host_clock::read_ns(call_.clock());
    const timespec until = clock_::from_ns(host_ns > for_ever - now_ns ? for_ever : now_ns + host_ns);
    result = host_syscall()(SYS_futex, call_.word, call_.operation, call_.value, reinterpret_cast<long>(&until),
                            call_.other_word, call_.mask);
    return result == 0 || errno != ETIMEDOUT;
  }
  [[nodiscard]] WaitReach reach() const override {
    return call_.is_private() ? WaitReach::OwnThreads : WaitReach::OtherRanks;
  }

  long result = -1;

 private:
  FutexCall call_;
};

long wait_on(const FutexCall& call) {
  FutexWait wait(call);
  const std::int64_t left_ns = call.left_ns();
  if (left_ns <= 0) return wait.look(0) ? wait.result : set_errno(ETIMEDOUT);
  switch (run_wait(wait, left_ns)) {
    case WaitEnd::Over: return wait.result;
    case WaitEnd::Interrupted: return set_errno(EINTR);
    case WaitEnd::TimeIsUp: break;
  }
  return set_errno(ETIMEDOUT);
}

}  // namespace

/// Declared with `...`, whose arguments lie where those of a function of seven integers do.
extern "C" __attribute__((visibility("default"))) long orrery_syscall(long number, long a, long b, long c, long d,
                                                                      long e, long f) __asm__("syscall");

long orrery_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_futex && d != 0 && clock_::is_on()) {
    const FutexCall call{a, b, c, d, e, f};
    if (call.is_limited_wait() && !clock_::in_library()) return wait_on(call);
  }
  return host_syscall()(number, a, b, c, d, e, f);
}
