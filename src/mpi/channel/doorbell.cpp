// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace orrery::mpi::channel {
namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout = nullptr) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

}  // namespace

void Doorbell::ring() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleeping.load(std::memory_order_relaxed) == 0) return;
  // Only one of several ringers pays for the system call.
  if (sleeping.exchange(0, std::memory_order_acq_rel) == 0) return;
  rings.fetch_add(1, std::memory_order_release);
  futex(rings, FUTEX_WAKE, INT_MAX);
}

void Doorbell::ring_always() {
  rings.fetch_add(1);
  futex(rings, FUTEX_WAKE, INT_MAX);
}

std::uint32_t Doorbell::prepare() {
  const std::uint32_t seen = rings.load(std::memory_order_acquire);
  sleeping.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return seen;
}

void Doorbell::sleep(std::uint32_t seen, std::uint64_t timeout_ns) {
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  futex(rings, FUTEX_WAIT, seen, timeout_ns == 0 ? nullptr : &timeout);
  stay_awake();
}

void Doorbell::stay_awake() { sleeping.store(0, std::memory_order_relaxed); }

}  // namespace orrery::mpi::channel
