// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "mpi/channel/channel.hpp"

/// How often a rank called routines that send nothing to the kernel, such as MPI_Comm_rank: they take no simulated
/// time, and are none of its operations. Counters lie in shared memory, so that they survive the rank however it ends.
namespace orrery::mpi::channel {

/// Calls in one phase of a rank; blocks of a rank are a list that only grows. Written by the rank.
struct LocalCalls {
  static constexpr std::uint32_t most_routines = 1024;

  Offset next;                                      ///< 0: the last
  std::uint32_t phase;                              ///< 0: outside of any
  std::atomic<std::uint64_t> calls[most_routines];  ///< by op::RoutineId
};

/// The counters of a rank in a phase; made when they are asked for first. @throws std::bad_alloc
[[nodiscard]] LocalCalls& local_calls(Memory& memory, RankBlock& block, std::uint32_t phase);

struct CountedCalls {
  std::uint32_t phase = 0;
  op::RoutineId routine = 0;
  std::uint64_t calls = 0;

  friend bool operator==(const CountedCalls&, const CountedCalls&) = default;
};

/// What a rank has counted so far, by phase and routine; any process, any time.
[[nodiscard]] std::vector<CountedCalls> counted_calls(const Memory& memory, int world_rank);

}  // namespace orrery::mpi::channel
