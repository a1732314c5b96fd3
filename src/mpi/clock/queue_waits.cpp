// SPDX-License-Identifier: BSD-3-Clause
#include <aio.h>
#include <mqueue.h>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/replaces.hpp"

/// Message queues and asynchronous input and output that are waited for, for a time.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

ORRERY_REPLACES ssize_t mq_timedreceive(mqd_t queue, char* __restrict text, std::size_t bytes,
                                        unsigned int* __restrict priority, const timespec* __restrict deadline) {
  using Function = ssize_t (*)(mqd_t, char*, std::size_t, unsigned int*, const timespec*);
  static const auto original = next_function<Function>("mq_timedreceive");
  ssize_t received = -1;
  const int error = wait_until(CLOCK_REALTIME, deadline, {.reach = WaitReach::OtherProcesses, .interruptible = true},
                               [&](const timespec* on_host) {
                                 received = original(queue, text, bytes, priority, on_host);
                                 return received >= 0 ? 0 : errno;
                               });
  return error == 0 ? received : set_errno(error);
}

ORRERY_REPLACES int mq_timedsend(mqd_t queue, const char* text, std::size_t bytes, unsigned int priority,
                                 const timespec* deadline) {
  using Function = int (*)(mqd_t, const char*, std::size_t, unsigned int, const timespec*);
  static const auto original = next_function<Function>("mq_timedsend");
  return set_errno(
      wait_until(CLOCK_REALTIME, deadline, {.reach = WaitReach::OtherProcesses, .interruptible = true},
                 [&](const timespec* on_host) { return errno_of(original(queue, text, bytes, priority, on_host)); }));
}

namespace {

using AioSuspend = int (*)(const aiocb* const*, int, const timespec*);

/// The C library's own threads do what is waited for.
class AioWait final : public LimitedWait {
 public:
  AioWait(AioSuspend original, const aiocb* const* list, int n) : original_(original), list_(list), n_(n) {}

  bool look(std::int64_t host_ns) override {
    const timespec longest = clock_::from_ns(host_ns);
    result = original_(list_, n_, host_ns == for_ever ? nullptr : &longest);
    return result == 0 || errno != EAGAIN;
  }
  [[nodiscard]] WaitReach reach() const override { return WaitReach::OtherProcesses; }

  int result = -1;

 private:
  AioSuspend original_;
  const aiocb* const* list_;
  int n_;
};

}  // namespace

ORRERY_REPLACES int aio_suspend(const aiocb* const list[], int n, const timespec* __restrict limit) {
  static const auto original = next_function<AioSuspend>("aio_suspend");
  if (!clock_::is_on() || !clock_::is_valid(limit)) return original(list, n, limit);
  AioWait wait(original, list, n);
  switch (run_wait(wait, clock_::ns_of(*limit))) {
    case WaitEnd::Over: return wait.result;
    case WaitEnd::Interrupted: return set_errno(EINTR);
    case WaitEnd::TimeIsUp: break;
  }
  return set_errno(EAGAIN);
}
