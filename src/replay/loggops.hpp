// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/goal/schedule.hpp"

namespace orrery::replay {

/// The LogGOPS model of GOAL schedules, as LogGOPSim has it (Hoefler, Schneider, Lumsdaine 2010,
/// doi:10.1145/1851476.1851564), in nanoseconds and nanoseconds per byte. A message of s bytes
/// - keeps its sender's processor for o + (s − 1)·O and its network interface for g + (s − 1)·G;
/// - arrives o + L later, when the receiver's processor and interface are free, and keeps them for
///   o + (s − 1)·max(O, G) and g + (s − 1)·G;
/// - is over for its sender at once up to S bytes, and when it is received beyond.
/// It differs from the platform model `loggps`, which charges latency and gap per byte on the way, and nothing per
/// message.
struct LogGOPS {
  std::uint64_t latency_ns = 2500;         ///< L
  std::uint64_t overhead_ns = 1500;        ///< o
  std::uint64_t gap_ns = 1000;             ///< g
  std::uint64_t gap_per_byte_ns = 6;       ///< G
  std::uint64_t overhead_per_byte_ns = 0;  ///< O
  std::uint64_t sync_threshold = 65535;    ///< S

  /// Reads "L=2500,o=1500,g=1000,G=6,O=0,S=65535"; what is left out has LogGOPSim's default, as it has above.
  /// @throws InputError naming the part that is wrong
  static LogGOPS parse(std::string_view text);
};

struct LogGOPSResult {
  std::vector<std::uint64_t> end_ns;  ///< by rank
  std::uint64_t events = 0;           ///< operations and messages
  std::uint64_t unfinished = 0;       ///< operations that could not be done
  std::uint64_t unmatched = 0;        ///< messages that nobody received, and receives that nothing came for
};

/// Runs a schedule under that model. The order of simultaneous events is LogGOPSim's, and so are all times.
/// Cost: about 100 ns for each event; 1 byte for each node and 150 for each rank besides the schedule.
/// @param progress counts nodes that are over; another thread may read it   @param stop ends the run when it is set
[[nodiscard]] LogGOPSResult run_loggops(const trace::goal::Schedule& schedule, const LogGOPS& parameters,
                                        std::atomic<std::uint64_t>* progress = nullptr,
                                        const std::atomic<bool>* stop = nullptr);

}  // namespace orrery::replay
