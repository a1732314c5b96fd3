// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "mpi/channel/channel.hpp"

/// Places in the source of the program that mean something to all of its ranks. They are members of a list in shared
/// memory that only grows; the rank that comes first adds a place.
namespace orrery::mpi::channel {

enum class SiteKind : std::uint32_t {
  SampledByRank,  ///< a block of which each rank has its own sample; `what` is a SampledPlace
  SampledByAll,   ///< a block of which all ranks have one sample; `what` is a SampledPlace
  Folded,         ///< memory that all ranks share; `what` is a block of `folded_block` bytes
  Call,           ///< where the program calls MPI; `line` is bytes into the module
  CallOfPython,   ///< a line of Python, `file:line`, that comes to the `Call` of number `line`
  HeapContents,  ///< who asked for large blocks of the heap: bytes from the start of the file; `what` is a HeapContents
};

struct Site {
  Offset next;  ///< 0: the last
  Offset file;  ///< zero-terminated
  std::int32_t line;
  SiteKind kind;
  std::uint32_t number;  ///< from 1, in the order in which they were added
  Offset what;
};

/// The place of that name and kind. `make` gives the `what` of a new one; where another rank is faster, it is not used.
/// @throws std::bad_alloc
[[nodiscard]] Site& site(Memory& memory, const char* file, std::int32_t line, SiteKind kind,
                         const std::function<Offset()>& make);

/// All places, the newest first.
void for_each_site(const Memory& memory, const std::function<void(const Site&)>& visit);

}  // namespace orrery::mpi::channel
