// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "trace/slice_plan.hpp"

namespace orrery::trace {

/// What came of cutting a piece out of a trace.
struct Sliced {
  std::uint64_t operations = 0;             ///< in the slice
  std::uint64_t messages_left_out = 0;      ///< sends and receives whose other side is outside
  std::uint64_t collectives_left_out = 0;   ///< calls that not all members made inside
  std::vector<std::string> obstacles = {};  ///< why it cannot be replayed; empty: it can
};

/// Writes what some ranks did in some time as a trace of its own. Ranks keep their numbers and operations their times;
/// ranks that are not wanted do nothing. What would wait for ever for something outside is left out, its computation
/// is kept: messages with one side outside, collective calls that not all members made inside, waits for either. Locks
/// that are held at the end are given back. So the slice replays; if not, its property `replayable` says why. Ranks of
/// which the file has nothing stay cut off.
/// @throws InputError when it cannot be written, no such rank is there, or time is cut where none was recorded
Sliced slice(const File& file, const std::string& path, const Window& window);

}  // namespace orrery::trace
