// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/threads.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <algorithm>
#include <memory>

#include "mpi/clock/clock.hpp"

namespace orrery::mpi {
namespace {

/// One rank per process has threads; its main thread's state belongs to the rank.
thread_local ThreadState* own_state = nullptr;
thread_local std::unique_ptr<ThreadState> owned_state;

/// Whether no thread has ever been started, as far as the C library can tell without a system call: programs that asked
/// for MPI_THREAD_MULTIPLE come by in each of their calls, with one thread most of the time.
bool never_had_threads() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace

/// The directory has one link for each thread, besides its own two.
bool process_has_threads() {
  struct stat tasks {};
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3;
}

bool process_has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

Threads::Threads(ThreadState& main) : counted_until_ns_(host_clock::monotonic_ns()) { own_state = &main; }

void Threads::enter(ThreadState& thread) {
  if (!several()) {
    if (never_had_threads() || !process_has_threads()) return;
    several_.store(true, std::memory_order_relaxed);
  }
  mutex_.lock();
  thread.holds_lock = true;
}

ThreadState& Threads::own() {
  if (own_state == nullptr) {
    owned_state = std::make_unique<ThreadState>(ComputeMeter(host_clock::monotonic_ns, host_clock::thread_cpu_ns));
    own_state = owned_state.get();
  }
  return *own_state;
}

std::int64_t Threads::counted(std::int64_t computed_ns, std::int64_t now_ns) {
  const std::int64_t since = std::max<std::int64_t>(0, now_ns - counted_until_ns_);
  counted_until_ns_ = std::max(counted_until_ns_, now_ns);
  return std::min(computed_ns, since);
}

void Threads::wait_for_change() {
  ++waiting_;
  std::unique_lock<std::mutex> held(mutex_, std::adopt_lock);
  condition_.wait(held);
  held.release();
  --waiting_;
}

std::uint32_t Threads::take_number() {
  if (!free_numbers_.empty()) {
    const std::uint32_t number = free_numbers_.back();
    free_numbers_.pop_back();
    return number;
  }
  return numbers_ == channel::max_threads ? 0 : ++numbers_;
}

}  // namespace orrery::mpi
