// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mpi/channel/channel.hpp"

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
    std::uint64_t from;  ///< or address, in the member's process, of those slices; 0: they are not there in one piece
    std::uint64_t to;    ///< and of room for as many that it gets
  };

  /// What there is to do when a round is over, in parts that some members do for all.
  struct Work {
    std::atomic<std::uint32_t> begun{0};   ///< parts, may exceed how many there are
    std::atomic<std::uint32_t> done{0};    ///< parts
    std::atomic<std::uint32_t> failed{0};  ///< 1: not all that was to be done could be
    std::atomic<std::uint32_t> left{0};    ///< members that need nothing of the round any more
  };

  alignas(cache_line) std::atomic<std::uint32_t> arrived{0};  ///< members, in this round
  alignas(cache_line) std::atomic<std::uint32_t> rounds{0};   ///< that are over; written by the last to come
  std::atomic<std::uint32_t> words[2]{};  ///< on which those sleep who wait for something of a round
  Work work[2];
  std::uint32_t size = 0;  ///< members

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
