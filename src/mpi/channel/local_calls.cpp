// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/local_calls.hpp"

#include <algorithm>
#include <tuple>

namespace orrery::mpi::channel {

LocalCalls& local_calls(Memory& memory, RankBlock& block, std::uint32_t phase) {
  const Offset first = block.local_calls.load(std::memory_order_relaxed);
  for (Offset at = first; at != 0; at = memory.as<LocalCalls>(at)->next) {
    if (memory.as<LocalCalls>(at)->phase == phase) return *memory.as<LocalCalls>(at);
  }
  const Offset made = memory.allocate(sizeof(LocalCalls));
  auto* calls = new (memory.at(made)) LocalCalls{.next = first, .phase = phase, .calls = {}};
  block.local_calls.store(made, std::memory_order_release);
  return *calls;
}

std::vector<CountedCalls> counted_calls(const Memory& memory, int world_rank) {
  std::vector<CountedCalls> counted;
  const Offset first = memory.block(world_rank).local_calls.load(std::memory_order_acquire);
  for (Offset at = first; at != 0; at = memory.as<LocalCalls>(at)->next) {
    const auto& of_phase = *memory.as<LocalCalls>(at);
    for (std::uint32_t routine = 0; routine < LocalCalls::most_routines; ++routine) {
      const std::uint64_t calls = of_phase.calls[routine].load(std::memory_order_relaxed);
      if (calls > 0) counted.push_back({of_phase.phase, static_cast<op::RoutineId>(routine), calls});
    }
  }
  std::ranges::sort(counted, {}, [](const CountedCalls& row) { return std::tuple(row.phase, row.routine); });
  return counted;
}

}  // namespace orrery::mpi::channel
