// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::trace {

/// Traces of single ranks become the trace of a run.
///
/// A captured rank (src/measure/capture) writes a file of its own, numbers communicators for itself, and tells time by
/// the clock of its host. Communicators of two ranks are the same if they have the same members and are, on each rank,
/// the n-th that has them: making one is collective, so its members make those that they share in one order. Clocks are
/// made to agree by how far they had drifted apart at the end.
struct Merged {
  std::vector<std::uint32_t> missing = {};  ///< ranks without a file
  std::vector<std::uint32_t> cut_off = {};  ///< ranks whose streams have no end
  std::vector<std::string> damage = {};     ///< what could not be read, a sentence each
  std::uint64_t operations = 0;
};

/// @param parts files of one rank each   @param routine_names by number; written into the trace
/// @param sites what is written for call sites, by what the parts have for them; others stay as they are
/// @throws InputError when there is none that can be read, or the trace cannot be written
Merged merge(const std::vector<std::string>& parts, const std::string& path,
             const std::vector<std::pair<std::string, std::string>>& properties,
             std::span<const std::string_view> routine_names, const std::map<std::string, std::string>& sites = {});

/// Appends to the trace of a rank that was killed what lies in its other file (rest_head in
/// src/measure/capture/life.c): the records of the block that it was at. Does nothing to a trace that is whole.
/// @return whether there was anything
bool recover(const std::string& path, const std::string& rest);

}  // namespace orrery::trace
