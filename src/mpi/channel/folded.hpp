// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/channel/channel.hpp"

/// Memory that is folded: a block of a few pages is mapped again and again, one behind the other, until it is as large
/// as was asked for; and in all ranks it is the same block. What one rank writes in one place is read in others.
namespace orrery::mpi::channel {

/// A page table of the hardware maps so much: smaller blocks would take more mappings, of which a process may have
/// 65,530.
inline constexpr std::size_t folded_block = std::size_t{2} << 20;

/// What was found in the large blocks of the heap that one place of the program asked for, in the rank that is looked
/// at (heap/contents.hpp). Written by that rank.
struct HeapContents {
  std::uint64_t blocks;
  std::uint64_t words;      ///< looked at that are not 0
  std::uint64_t suspected;  ///< of these, that no floating-point number is
};

/// Room for a block, at the start of a page. @throws std::bad_alloc
[[nodiscard]] Offset make_folded_block(Memory& memory);

/// Addresses behind which the block at `block` of the file `descriptor` is, again and again. Null: the system has no
/// room for so many mappings.
[[nodiscard]] void* map_folded(int descriptor, Offset block, std::size_t bytes);
/// @param bytes as given to map_folded
void unmap_folded(void* first, std::size_t bytes);

}  // namespace orrery::mpi::channel
