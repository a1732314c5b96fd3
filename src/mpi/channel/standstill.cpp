// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/standstill.hpp"

#include "mpi/channel/process_state.hpp"

namespace orrery::mpi::channel {
namespace {

RankPhase phase_of(const RankBlock& block) {
  return static_cast<RankPhase>(block.phase.load(std::memory_order_acquire));
}

int ranks_of(const Memory& memory) { return static_cast<int>(memory.header().born.load(std::memory_order_acquire)); }

/// One that has finalised helps nobody, whatever it does.
bool counts(const RankBlock& block) { return phase_of(block) != RankPhase::Finalized; }

bool sleeps(const RankBlock& block) {
  return phase_of(block) == RankPhase::Running && block.several_threads.load(std::memory_order_relaxed) == 0 &&
         block.doorbell.sleeping.load(std::memory_order_acquire) != 0;
}

}  // namespace

std::optional<std::uint64_t> Standstill::activity() const {
  std::optional<std::uint64_t> sum;
  for (int rank = 0; rank < ranks_of(memory_); ++rank) {
    const RankBlock& block = memory_.block(rank);
    if (!counts(block)) continue;
    if (!sleeps(block)) return std::nullopt;
    for (const auto* counter :
         {&block.ring_tail, &block.ring_head, &block.replies, &block.inbox_tail, &block.inbox_head}) {
      sum = sum.value_or(0) + counter->load(std::memory_order_relaxed);
    }
  }
  return sum;
}

bool Standstill::all_sleep_for_the_system() const {
  for (int rank = 0; rank < ranks_of(memory_); ++rank) {
    const RankBlock& block = memory_.block(rank);
    if (!counts(block)) continue;
    const auto state = state_of(block.pid.load(std::memory_order_relaxed));
    if (!state || !state->asleep) return false;
  }
  return true;
}

bool Standstill::look() {
  const auto now = activity();
  const bool unchanged = now && last_ == now;
  last_ = now;
  // A rank that was woken together with others seems to sleep until it runs: the system knows better.
  return unchanged && all_sleep_for_the_system() && activity() == now;
}

}  // namespace orrery::mpi::channel
