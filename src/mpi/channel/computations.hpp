// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "mpi/channel/channel.hpp"
#include "mpi/channel/process_state.hpp"

namespace orrery::mpi::channel {

/// Tells the kernel what a rank has computed so far, before the operation behind the computation comes.
///
/// A rank may wait for another one by reading memory in a loop that calls no MPI: a flag in a shared window, in a
/// mapped file. The kernel waits for that rank's next operation, and the other one for the kernel. But the loop uses a
/// processor, and its next operation will report at least that much computation: when the kernel knows so much of it
/// already, the others may go on until then, and all times are as if it had been told at once.
///
/// Where computation takes no time (Header::measure_compute is 0) a part of it takes some, so it must not be told of a
/// rank that does compute. There only a rank counts that has used a processor for 2 s, and that shares memory with
/// others or calls the system most of the time; the 2 s take no simulated time, the rest does.
class Computations {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Computations(const Memory& memory) : memory_(memory), ranks_(memory.header().capacity) {}

  /// Looks at a rank of which nothing comes. Call it every now and then while `turn` does not change, which is any
  /// number that changes with each operation of the rank.
  /// @return whether it has computed something that was not told yet, for which others wait; `take` gives it. Cost: a
  /// system call or two, and a cache line of each rank up to the first that sleeps
  [[nodiscard]] bool look(int rank, std::uint32_t turn, Clock::time_point now = Clock::now());
  /// The part that the last look has found, seconds of the host; 0: it was taken already.
  [[nodiscard]] double take(int rank);

  /// Parts of ranks that share memory, or call the system most of the time: they may have waited for others so.
  [[nodiscard]] const MemoryWaits& memory_waits() const { return memory_waits_; }

 private:
  struct OfRank {
    bool looked = false;    ///< in this turn
    bool told = false;      ///< something, in this turn
    bool counted = false;   ///< in `memory_waits_`
    bool may_wait = false;  ///< it shares memory, or calls the system
    std::uint32_t turn = 0;
    double base_s = 0;        ///< processor time up to which all is told, or does not count
    Ticks before;             ///< when it had computed for a while in this turn
    bool looked_at = false;   ///< so that `before` is known
    double part_s = 0;        ///< not taken yet
    Clock::time_point asked;  ///< the system, about `may_wait`
  };

  [[nodiscard]] double patience_s(const OfRank& of) const;
  [[nodiscard]] bool may_wait(OfRank& of, pid_t process, Clock::time_point now) const;
  [[nodiscard]] bool another_sleeps(int rank) const;
  void tell(OfRank& of, double part_s);

  const Memory& memory_;
  std::vector<OfRank> ranks_;
  MemoryWaits memory_waits_;
};

}  // namespace orrery::mpi::channel
