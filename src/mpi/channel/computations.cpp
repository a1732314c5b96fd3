// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/computations.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "mpi/channel/process_state.hpp"

namespace orrery::mpi::channel {
namespace {

/// Ranks that most likely compute say nothing for so long before they are done.
constexpr double computing_s = 0.01;
/// Where computation takes no time: rarely does a program compute for longer, while others wait, and share memory.
constexpr double untimed_s = 2;
/// That time once the rank has been seen to wait so.
constexpr double untimed_again_s = 0.05;
/// To look through a process's mappings takes as long as a few hundred of them.
constexpr std::chrono::seconds between_questions{1};

bool is_awake_outside(const RankBlock& block) {
  return block.phase.load(std::memory_order_acquire) == static_cast<std::uint32_t>(RankPhase::Running) &&
         block.in_call.load(std::memory_order_relaxed) == 0 &&
         block.doorbell.sleeping.load(std::memory_order_relaxed) == 0;
}

/// Whether a third of the computation of this turn, as far as is known, was in system calls.
bool mostly_in_the_system(const Ticks& before, const Ticks& now) {
  constexpr std::uint64_t enough = 10;
  return now.all >= before.all + enough && 3 * (now.system - before.system) > now.all - before.all;
}

std::optional<double> used_s(const RankBlock& block) {
  const bool several = block.several_threads.load(std::memory_order_relaxed) != 0;
  return processor_time_s(block.pid.load(std::memory_order_relaxed),
                          several ? 0 : block.thread.load(std::memory_order_relaxed));
}

}  // namespace

bool Computations::look(int rank, std::uint32_t turn, Clock::time_point now) {
  const RankBlock& block = memory_.block(rank);
  OfRank& of = ranks_[static_cast<std::size_t>(rank)];
  if (!is_awake_outside(block)) return false;
  const std::optional<double> used = used_s(block);
  if (!used) return false;
  if (!std::exchange(of.looked, true) || of.turn != turn) {
    of.turn = turn;
    of.told = of.looked_at = false;
    of.base_s = *used;
    return false;
  }
  const pid_t process = block.pid.load(std::memory_order_relaxed);
  if (!of.looked_at && *used - of.base_s >= computing_s) {
    of.looked_at = true;
    of.before = ticks_of(process);
  }
  if (!of.told) {
    if (*used - of.base_s < patience_s(of) || !another_sleeps(rank)) return false;
    const bool waits = may_wait(of, process, now);
    const bool measured = memory_.header().measure_compute != 0;
    if (!measured) of.base_s = *used;
    if (!measured && !waits) return false;
    of.told = true;
  } else if (!of.may_wait) {
    (void)may_wait(of, process, now);
  }
  if (*used <= of.base_s) return false;
  tell(of, *used - std::exchange(of.base_s, *used));
  return true;
}

void Computations::tell(OfRank& of, double part_s) {
  of.part_s += part_s;
  if (!of.may_wait) return;
  if (!std::exchange(of.counted, true)) ++memory_waits_.ranks;
  memory_waits_.seconds += part_s;
}

double Computations::take(int rank) { return std::exchange(ranks_[static_cast<std::size_t>(rank)].part_s, 0); }

double Computations::patience_s(const OfRank& of) const {
  if (memory_.header().measure_compute == 0) return of.counted ? untimed_again_s : untimed_s;
  return memory_.header().windows.load(std::memory_order_relaxed) != 0 ? 0 : computing_s;
}

bool Computations::may_wait(OfRank& of, pid_t process, Clock::time_point now) const {
  if (of.may_wait) return true;
  if (memory_.header().windows.load(std::memory_order_relaxed) != 0) return of.may_wait = true;
  if (now - of.asked < between_questions) return false;
  of.asked = now;
  return of.may_wait = shares_memory(process, concat("/memfd:", memory_name, " ")) ||
                       mostly_in_the_system(of.before, ticks_of(process));
}

bool Computations::another_sleeps(int rank) const {
  const auto born = static_cast<int>(memory_.header().born.load(std::memory_order_acquire));
  for (int other = 0; other < born; ++other) {
    if (other != rank && memory_.block(other).doorbell.sleeping.load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

}  // namespace orrery::mpi::channel
