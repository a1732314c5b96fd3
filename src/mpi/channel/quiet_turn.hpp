// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace orrery::mpi::channel {

class Memory;

/// One rank at a time may compute alone, so that others take it neither caches nor the memory's bandwidth: whoever
/// leaves an MPI routine meanwhile waits until it has done. In shared memory.
///
/// Nobody waits for long: those who compute already are waited for up to a limit, and a turn that is not given back, as
/// when its rank was killed, is over after a second.
class QuietTurn {
 public:
  /// Waits for the turn, then until no other rank is outside of MPI. The caller is inside.
  /// @param longest_ns to wait for those outside
  /// @return whether the caller is alone now. It has to `end` the turn in any case
  [[nodiscard]] bool begin(const Memory& memory, int world_rank, std::int64_t longest_ns);
  void end(int world_rank);

  [[nodiscard]] bool taken() const { return holder_.load(std::memory_order_relaxed) != 0; }
  /// Waits until nobody has the turn. The caller is inside of MPI.
  void await_end();

 private:
  void wait_for(std::uint32_t holder);

  std::atomic<std::uint32_t> holder_{0};  ///< 1 + a world rank; 0: nobody
};

}  // namespace orrery::mpi::channel
