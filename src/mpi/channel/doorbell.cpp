// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/channel.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "base/errno_kept.hpp"

namespace orrery::mpi::channel {
namespace {

constexpr std::uint32_t everyone = FUTEX_BITSET_MATCH_ANY;

void wake(std::atomic<std::uint32_t>& word, std::uint32_t mask) {
  const ErrnoKept kept;
  word.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, mask);
}

/// `delay_ns` from now, on the clock of futexes; asked of the system itself, as the program's clocks are simulated.
timespec monotonic_after(std::uint64_t delay_ns) {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  const auto ns = static_cast<std::uint64_t>(now.tv_nsec) + delay_ns;
  return {now.tv_sec + static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

void Doorbell::ring() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleeping.load(std::memory_order_relaxed) == 0) return;
  // Only one of several ringers pays for the system call.
  const std::ptrdiff_t place = sleeping.exchange(0, std::memory_order_acq_rel);
  if (place == 0) return;
  wake(*reinterpret_cast<std::atomic<std::uint32_t>*>(reinterpret_cast<std::byte*>(&sleeping) + place),
       mask.load(std::memory_order_relaxed));
}

void Doorbell::ring_always() { wake(rings, everyone); }

void wake_sharers(std::atomic<std::uint32_t>& word) { wake(word, everyone); }

std::uint32_t Doorbell::prepare(std::atomic<std::uint32_t>& word) {
  const std::uint32_t seen = word.load(std::memory_order_acquire);
  sleeping.store(reinterpret_cast<std::byte*>(&word) - reinterpret_cast<std::byte*>(&sleeping),
                 std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return seen;
}

void Doorbell::sleep(std::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t timeout_ns) {
  const ErrnoKept kept;
  timespec until{};
  if (timeout_ns != 0) until = monotonic_after(timeout_ns);
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, seen, timeout_ns == 0 ? nullptr : &until, nullptr,
          mask.load(std::memory_order_relaxed));
  stay_awake();
}

void Doorbell::stay_awake() { sleeping.store(0, std::memory_order_relaxed); }

}  // namespace orrery::mpi::channel
