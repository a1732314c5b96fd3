// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/quiet_turn.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "base/errno_kept.hpp"
#include "mpi/channel/channel.hpp"

namespace orrery::mpi::channel {
namespace {

constexpr std::int64_t longest_turn_ns = 1'000'000'000;
/// The first look for others comes so soon, later ones less and less often.
constexpr std::int64_t first_look_ns = 20'000;
constexpr std::int64_t last_look_ns = 1'000'000;

timespec after(std::int64_t ns) { return {ns / 1'000'000'000, static_cast<long>(ns % 1'000'000'000)}; }

/// Asked of the system itself, as the program's clocks are simulated.
std::int64_t now_ns() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void sleep(std::int64_t ns) {
  const timespec span = after(ns);
  syscall(SYS_nanosleep, &span, nullptr);
}

bool is_outside(const RankBlock& block) {
  return block.in_call.load(std::memory_order_relaxed) == 0 &&
         block.phase.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(RankPhase::Running);
}

bool somebody_is_outside(const Memory& memory, int but) {
  const auto born = static_cast<int>(memory.header().born.load(std::memory_order_acquire));
  for (int rank = 0; rank < born; ++rank)
    if (rank != but && is_outside(memory.block(rank))) return true;
  return false;
}

}  // namespace

bool QuietTurn::begin(const Memory& memory, int world_rank, std::int64_t longest_ns) {
  const auto self = static_cast<std::uint32_t>(world_rank) + 1;
  for (std::uint32_t holder = 0; !holder_.compare_exchange_weak(holder, self, std::memory_order_acq_rel); holder = 0)
    if (holder != 0) wait_for(holder);
  const std::int64_t until_ns = now_ns() + longest_ns;
  for (std::int64_t look_ns = first_look_ns; somebody_is_outside(memory, world_rank);
       look_ns = std::min(2 * look_ns, last_look_ns)) {
    if (now_ns() >= until_ns) return false;
    sleep(look_ns);
  }
  return true;
}

void QuietTurn::end(int world_rank) {
  const ErrnoKept kept;
  auto self = static_cast<std::uint32_t>(world_rank) + 1;
  if (holder_.compare_exchange_strong(self, 0, std::memory_order_release))
    syscall(SYS_futex, &holder_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void QuietTurn::await_end() {
  if (const std::uint32_t holder = holder_.load(std::memory_order_acquire); holder != 0) wait_for(holder);
}

/// A turn is over when it is another's, too.
void QuietTurn::wait_for(std::uint32_t holder) {
  const ErrnoKept kept;
  const std::int64_t until_ns = now_ns() + longest_turn_ns;
  while (holder_.load(std::memory_order_acquire) == holder) {
    const std::int64_t left_ns = until_ns - now_ns();
    if (left_ns <= 0) {
      end(static_cast<int>(holder) - 1);
      return;
    }
    const timespec span = after(left_ns);
    syscall(SYS_futex, &holder_, FUTEX_WAIT, holder, &span, nullptr, 0);
  }
}

}  // namespace orrery::mpi::channel
