// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/descriptor_waits.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/descriptor_reach.hpp"
#include "mpi/clock/program_timers.hpp"
#include "mpi/clock/replaces.hpp"

/// Waits for descriptors, which are sleeps if there are none: the idiom of programs that are older than nanosleep.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

/// What a wait gives that simulated time may have to end; none: it is the C library's own.
template <class Wait>
std::optional<int> run(Wait& wait, std::int64_t limit_ns, const sigset_t* mask) {
  if (!clock_::is_on()) return std::nullopt;
  const bool timed = program_timers::any_armed();
  if (!timed && (limit_ns == 0 || limit_ns == for_ever)) return std::nullopt;
  switch (run_wait(wait, limit_ns, mask)) {
    case WaitEnd::Over: errno = wait.error; return wait.result;
    case WaitEnd::Interrupted: return set_errno(EINTR);
    case WaitEnd::TimeIsUp: break;
  }
  return 0;
}

std::int64_t limit_of(const timespec* limit) { return limit == nullptr ? for_ever : clock_::ns_of(*limit); }
std::int64_t limit_of(int limit_ms) { return limit_ms < 0 ? for_ever : std::int64_t{limit_ms} * 1'000'000; }

/// A limit as the original takes it; null: none.
class HostLimit {
 public:
  explicit HostLimit(std::int64_t ns) : time_(clock_::from_ns(ns)), limited_(ns != for_ever) {}
  [[nodiscard]] const timespec* get() const { return limited_ ? &time_ : nullptr; }

 private:
  timespec time_;
  bool limited_;
};

// --- poll ------------------------------------------------------------------------------------------------------------

using Ppoll = int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*);
Ppoll host_ppoll() {
  static const auto found = next_function<Ppoll>("ppoll");
  return found;
}

class PollWait final : public LimitedWait {
 public:
  PollWait(pollfd* descriptors, nfds_t n, const sigset_t* mask) : descriptors_(descriptors), n_(n), mask_(mask) {}

  bool look(std::int64_t host_ns) override {
    result = host_ppoll()(descriptors_, n_, HostLimit(host_ns).get(), mask_);
    error = errno;
    return result != 0;
  }
  [[nodiscard]] WaitReach reach() const override {
    WaitReach widest = WaitReach::Nobody;
    for (nfds_t i = 0; i < n_; ++i) {
      if (descriptors_[i].fd >= 0) widest = std::max(widest, reach_of(descriptors_[i].fd));
    }
    return widest;
  }

  int result = 0;
  int error = 0;

 private:
  pollfd* descriptors_;
  nfds_t n_;
  const sigset_t* mask_;
};

// --- select ----------------------------------------------------------------------------------------------------------

/// The descriptors of one call, of which each look needs a copy.
struct Sets {
  fd_set* read;
  fd_set* write;
  fd_set* except;
};

class SelectWait final : public LimitedWait {
 public:
  SelectWait(int n, const Sets& sets, const sigset_t* mask) : n_(n), sets_(sets), mask_(mask) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (given(i) != nullptr) asked_[i] = *given(i);
    }
  }

  bool look(std::int64_t host_ns) override {
    using Function = int (*)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
    static const auto original = next_function<Function>("pselect");
    for (std::size_t i = 0; i < 3; ++i) {
      if (given(i) != nullptr) *given(i) = asked_[i];
    }
    result = original(n_, sets_.read, sets_.write, sets_.except, HostLimit(host_ns).get(), mask_);
    error = errno;
    return result != 0;
  }
  [[nodiscard]] WaitReach reach() const override {
    WaitReach widest = WaitReach::Nobody;
    for (int descriptor = 0; descriptor < n_; ++descriptor) {
      if (is_asked(descriptor)) widest = std::max(widest, reach_of(descriptor));
    }
    return widest;
  }

  int result = 0;
  int error = 0;

 private:
  [[nodiscard]] fd_set* given(std::size_t i) const { return i == 0 ? sets_.read : i == 1 ? sets_.write : sets_.except; }
  [[nodiscard]] bool is_asked(int descriptor) const {
    for (std::size_t i = 0; i < 3; ++i) {
      if (given(i) != nullptr && FD_ISSET(descriptor, &asked_[i])) return true;
    }
    return false;
  }

  int n_;
  Sets sets_;
  const sigset_t* mask_;
  fd_set asked_[3];
};

// --- epoll -----------------------------------------------------------------------------------------------------------

using EpollPwait = int (*)(int, epoll_event*, int, int, const sigset_t*);
EpollPwait host_epoll_pwait() {
  static const auto found = next_function<EpollPwait>("epoll_pwait");
  return found;
}

class EpollWait final : public LimitedWait {
 public:
  EpollWait(int epoll, epoll_event* events, int n, const sigset_t* mask)
      : epoll_(epoll), events_(events), n_(n), mask_(mask) {}

  bool look(std::int64_t host_ns) override {
    constexpr std::int64_t longest_ms = 1'000'000'000;
    const std::int64_t ms = host_ns / 1'000'000 + (host_ns % 1'000'000 != 0 ? 1 : 0);
    result = host_epoll_pwait()(epoll_, events_, n_,
                                host_ns == for_ever ? -1 : static_cast<int>(std::min(ms, longest_ms)), mask_);
    error = errno;
    return result != 0;
  }
  [[nodiscard]] WaitReach reach() const override { return reach_of(epoll_); }

  int result = 0;
  int error = 0;

 private:
  int epoll_;
  epoll_event* events_;
  int n_;
  const sigset_t* mask_;
};

}  // namespace

bool orrery::mpi::wait_for_descriptor(int descriptor, short events, std::int64_t limit_ns) {
  pollfd watched{descriptor, events, 0};
  PollWait wait(&watched, 1, nullptr);
  switch (run_wait(wait, limit_ns)) {
    case WaitEnd::Over: errno = wait.error; return wait.result > 0;
    case WaitEnd::Interrupted: errno = EINTR; return false;
    case WaitEnd::TimeIsUp: break;
  }
  errno = EAGAIN;
  return false;
}

// --- what the program calls ------------------------------------------------------------------------------------------

ORRERY_REPLACES int poll(pollfd* descriptors, nfds_t n, int limit_ms) {
  static const auto original = next_function<int (*)(pollfd*, nfds_t, int)>("poll");
  if (n > 0 && is_null(descriptors)) return original(descriptors, n, limit_ms);
  PollWait wait(descriptors, n, nullptr);
  const auto result = run(wait, limit_of(limit_ms), nullptr);
  return result ? *result : original(descriptors, n, limit_ms);
}

ORRERY_REPLACES int ppoll(pollfd* descriptors, nfds_t n, const timespec* limit, const sigset_t* mask) {
  const bool is_refused = (limit != nullptr && !clock_::is_valid(limit)) || (n > 0 && is_null(descriptors));
  if (is_refused) return host_ppoll()(descriptors, n, limit, mask);
  PollWait wait(descriptors, n, mask);
  const auto result = run(wait, limit_of(limit), mask);
  return result ? *result : host_ppoll()(descriptors, n, limit, mask);
}

ORRERY_REPLACES int select(int n, fd_set* read, fd_set* write, fd_set* except, timeval* limit) {
  static const auto original = next_function<int (*)(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  const bool is_valid = limit == nullptr || (limit->tv_sec >= 0 && limit->tv_usec >= 0);
  // A larger set than the type has is one that the program allocated: its size is not known here.
  if (!is_valid || n > FD_SETSIZE) return original(n, read, write, except, limit);
  std::int64_t limit_ns = for_ever;
  if (limit != nullptr) limit_ns = clock_::ns_of({limit->tv_sec, 0}) + limit->tv_usec * 1000;
  SelectWait wait(n, {read, write, except}, nullptr);
  const auto result = run(wait, limit_ns, nullptr);
  if (!result) return original(n, read, write, except, limit);
  if (limit != nullptr) {  // as Linux does it
    const timespec left = clock_::from_ns(*result == 0 ? 0 : wait.left_ns);
    *limit = {left.tv_sec, left.tv_nsec / 1000};
  }
  return *result;
}

ORRERY_REPLACES int pselect(int n, fd_set* read, fd_set* write, fd_set* except, const timespec* limit,
                            const sigset_t* mask) {
  using Function = int (*)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
  static const auto original = next_function<Function>("pselect");
  if ((limit != nullptr && !clock_::is_valid(limit)) || n > FD_SETSIZE) {
    return original(n, read, write, except, limit, mask);
  }
  SelectWait wait(n, {read, write, except}, mask);
  const auto result = run(wait, limit_of(limit), mask);
  return result ? *result : original(n, read, write, except, limit, mask);
}

ORRERY_REPLACES int epoll_pwait(int epoll, epoll_event* events, int n, int limit_ms, const sigset_t* mask) {
  EpollWait wait(epoll, events, n, mask);
  const auto result = run(wait, limit_of(limit_ms), mask);
  return result ? *result : host_epoll_pwait()(epoll, events, n, limit_ms, mask);
}

ORRERY_REPLACES int epoll_wait(int epoll, epoll_event* events, int n, int limit_ms) {
  return epoll_pwait(epoll, events, n, limit_ms, nullptr);
}

ORRERY_REPLACES int epoll_pwait2(int epoll, epoll_event* events, int n, const timespec* limit, const sigset_t* mask) {
  using Function = int (*)(int, epoll_event*, int, const timespec*, const sigset_t*);
  static const auto original = next_function<Function>("epoll_pwait2");
  if (limit != nullptr && !clock_::is_valid(limit)) return original(epoll, events, n, limit, mask);
  EpollWait wait(epoll, events, n, mask);
  const auto result = run(wait, limit_of(limit), mask);
  return result ? *result : original(epoll, events, n, limit, mask);
}

// --- as compilers call them that check sizes (_FORTIFY_SOURCE) -------------------------------------------------------

ORRERY_REPLACES int __poll_chk(pollfd* descriptors, nfds_t n, int limit_ms, std::size_t bytes) {
  using Function = int (*)(pollfd*, nfds_t, int, std::size_t);
  static const auto original = next_function<Function>("__poll_chk");
  return bytes / sizeof(pollfd) < n ? original(descriptors, n, limit_ms, bytes) : poll(descriptors, n, limit_ms);
}

ORRERY_REPLACES int __ppoll_chk(pollfd* descriptors, nfds_t n, const timespec* limit, const sigset_t* mask,
                                std::size_t bytes) {
  using Function = int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*, std::size_t);
  static const auto original = next_function<Function>("__ppoll_chk");
  if (bytes / sizeof(pollfd) < n) return original(descriptors, n, limit, mask, bytes);
  return ppoll(descriptors, n, limit, mask);
}
