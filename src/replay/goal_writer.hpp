// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "collective/collective.hpp"
#include "computation/computation.hpp"
#include "kernel/profile.hpp"
#include "replay/source.hpp"

namespace orrery::replay {

/// A schedule, and what could not be said in it.
struct GoalWritten {
  struct Omission {
    std::string why = {};     ///< may name what was written instead
    std::uint64_t times = 0;  ///< how often
  };

  std::vector<std::byte> schedule = {};           ///< in the binary form
  std::map<std::string, Omission> left_out = {};  ///< by what
};

/// Writes streams as a GOAL schedule: what each operation has to wait for, instead of an order.
///
/// Collective calls become the messages of the algorithm that `selector` chooses; those that do not block are graphs
/// of their own until they are waited for. An operation begins after those before it have begun, and after those that
/// the rank waited for have ended. Receives are those that the streams say: of recorded traces, with what they took.
/// Tags tell messages of other communicators and calls apart. Memory: 39 bytes for each operation of all ranks.
/// Tests, and waits for any or some of several requests, are written as waits for all of them, and counted.
/// @param charge which computation is written
/// @param uses gets the algorithms of collective calls, each rank counted; their messages are not counted
/// @param lossy leave out what communicates and what the format has no word for: windows, files, partitions, threads
/// @throws InputError naming the rank and what cannot be said, unless `lossy`
[[nodiscard]] GoalWritten write_goal(Source& source, computation::Charge charge, const collective::Selector& selector,
                                     kernel::AlgorithmUses& uses, bool lossy);

}  // namespace orrery::replay
