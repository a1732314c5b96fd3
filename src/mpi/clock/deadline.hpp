// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <ctime>
#include <optional>

#include "mpi/clock/clock.hpp"
#include "mpi/clock/limited_wait.hpp"
#include "mpi/clock/simulated_clock.hpp"

/// Waits whose limit is a time: the program computes it from its clock, which is the simulated one; the C library
/// compares it with the host's.
namespace orrery::mpi {

/// What is special about an object that is waited for.
struct Waiting {
  WaitReach reach = WaitReach::OtherRanks;
  bool may_look_again = true;
  bool interruptible = false;
};

/// A wait by `call(time on the host's clock)`, which gives 0 or an error: ETIMEDOUT at that time.
template <class Call>
class DeadlineWait final : public LimitedWait {
 public:
  DeadlineWait(clockid_t clock, Waiting waiting, Call& call) : clock_(clock), waiting_(waiting), call_(call) {}

  bool look(std::int64_t host_ns) override {
    const std::int64_t now_ns = host_clock::read_ns(clock_);
    const timespec until = simulated_clock::from_ns(host_ns > for_ever - now_ns ? for_ever : now_ns + host_ns);
    error = call_(&until);
    return error != ETIMEDOUT;
  }
  [[nodiscard]] WaitReach reach() const override { return waiting_.reach; }
  [[nodiscard]] bool may_look_again() const override { return waiting_.may_look_again; }
  [[nodiscard]] bool interruptible() const override { return waiting_.interruptible; }

  int error = ETIMEDOUT;

 private:
  clockid_t clock_;
  Waiting waiting_;
  Call& call_;
};

[[nodiscard]] inline std::int64_t ns_until(const timespec& deadline, clockid_t clock) {
  return simulated_clock::ns_of(deadline) -
         simulated_clock::ns_of(simulated_clock::now(*simulated_clock::base_of(clock)));
}

/// @return what `call` gives; ETIMEDOUT if nothing has happened until the deadline, and EINTR
template <class Call>
int wait_until(clockid_t clock, const timespec* deadline, Waiting waiting, Call&& call) {
  namespace clock_ = simulated_clock;
  if (!clock_::is_on() || !clock_::is_valid(deadline) || clock_::base_of(clock) == nullptr) return call(deadline);
  DeadlineWait<Call> wait(clock, waiting, call);
  const std::int64_t left_ns = ns_until(*deadline, clock);
  if (left_ns <= 0) return wait.look(0) ? wait.error : ETIMEDOUT;
  constexpr std::int64_t rounding_ns = 2;  // what the clock says is rounded down: it must not be earlier than the limit
  switch (run_wait(wait, left_ns + rounding_ns)) {
    case WaitEnd::Over: return wait.error;
    case WaitEnd::Interrupted: return EINTR;
    case WaitEnd::TimeIsUp: break;
  }
  return ETIMEDOUT;
}

/// The C library's functions give an error, or -1 and the error in errno.
inline int errno_of(int result) { return result == 0 ? 0 : errno; }
inline int set_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace orrery::mpi
