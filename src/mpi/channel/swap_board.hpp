// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mpi/channel.hpp"

namespace orrery::mpi::channel {

/// Where the members of a communicator meet when each needs bytes of every other one: every one says in its slot where
/// its bytes are, and all read each other's slots once all have come.
///
/// Rounds use two sets of slots in turn, as some still read those of the last: nobody gets further ahead, since a round
/// is over when all have come. It follows the communicator's Board in memory.
struct SwapBoard {
  struct Slot {
    std::int64_t bytes;  ///< of one slice
    Offset place;        ///< in the arena: slices for all members, by their ranks; the last to read releases it
  };

  alignas(cache_line) std::atomic<std::uint32_t> arrived{0};  ///< members, in this round
  alignas(cache_line) std::atomic<std::uint32_t> rounds{0};   ///< that are over; written by the last to come
  std::atomic<std::uint32_t> words[2]{};  ///< on which those sleep who wait for the end of a round, by its set of slots
  std::atomic<std::uint32_t> left[2]{};   ///< members that have read what they want of a round, by its set of slots
  std::uint32_t size = 0;                 ///< members
  std::uint32_t in_turns = 0;             ///< 1: each wakes another one when it has read; written by the last to come

  [[nodiscard]] Slot* slots(std::uint32_t round) {
    return reinterpret_cast<Slot*>(this + 1) + static_cast<std::size_t>(round % 2) * size;
  }
  /// With its slots.
  [[nodiscard]] static std::size_t bytes(std::size_t size) { return sizeof(SwapBoard) + 2 * size * sizeof(Slot); }
};

/// That of a communicator of one group. @throws std::bad_alloc when the shared memory is used up
[[nodiscard]] SwapBoard& swap_board(Memory& memory, op::CommId comm);

/// Wakes so many of those who sleep on a shared word. Call after publishing what they wait for.
void wake_sharers(std::atomic<std::uint32_t>& word, int most);

}  // namespace orrery::mpi::channel
