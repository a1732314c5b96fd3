// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/standstill.hpp"

#include <filesystem>
#include <fstream>
#include <string>

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

/// The state of a thread, as `/proc/PID/task/TID/stat` has it: S where it sleeps until it is woken.
bool is_asleep(const std::filesystem::path& task) {
  std::ifstream file(task / "stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  return name_end != std::string::npos && line.compare(name_end, 3, ") S") == 0;
}

bool all_threads_sleep(pid_t process) {
  std::error_code error;
  const std::filesystem::path place = "/proc/" + std::to_string(process) + "/task";
  std::filesystem::directory_iterator tasks(place, error);
  if (error) return false;
  for (const auto& task : tasks) {
    if (!is_asleep(task.path())) return false;
  }
  return true;
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
    if (counts(block) && !all_threads_sleep(block.pid.load(std::memory_order_relaxed))) return false;
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
