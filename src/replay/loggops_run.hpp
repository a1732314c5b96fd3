// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>

#include "replay/loggops.hpp"

namespace orrery::replay {

/// What `orrery replay FILE --loggops PARAMETERS` tells. Here and not in Python, as small schedules take less time than
/// Python's start (src/program).
struct LogGOPSRun {
  std::string schedule;    ///< file
  std::string parameters;  ///< as LogGOPS::parse takes them
  LogGOPSResult result;
  double wall_s = 0;  ///< reading the schedule and simulating it

  /// Everything was done.
  [[nodiscard]] bool complete() const { return result.unfinished == 0 && result.unmatched == 0; }
  /// For people: lines of a name and a value.
  [[nodiscard]] std::string text() const;
  /// All of it, on one line.
  [[nodiscard]] std::string to_json() const;
};

/// Reads and simulates a schedule. @throws InputError   @throws kernel::Interrupted `stop` was set
[[nodiscard]] LogGOPSRun run_loggops_file(const std::string& schedule, const std::string& parameters,
                                          const std::atomic<bool>* stop = nullptr);

}  // namespace orrery::replay
