// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>

namespace orrery::launch {

/// Largest memory use of a run: the sum of its processes' proportional set sizes (shared pages count once in total).
///
/// Reading one walks the page tables of a process and holds it up meanwhile, so samples are seldom: after 10 ms, 100 ms
/// and then every 0.5 s, and never more than a fiftieth of the time. Above 64 processes 16 of them are read and the sum
/// scaled. Short peaks between samples are missed. (The maximum resident set size that wait4 gives at the end is no
/// substitute: after vfork it starts at that of the launcher, and it counts shared pages in every process.)
class MemoryUse {
 public:
  using Clock = std::chrono::steady_clock;

  explicit MemoryUse(Clock::time_point start) : start_(start), next_(start + std::chrono::milliseconds(10)) {}

  [[nodiscard]] Clock::time_point next() const { return next_; }
  void sample(std::span<const pid_t> processes);                          ///< those that have ended count as nothing
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }  ///< 0: the run was too short for a sample

 private:
  Clock::time_point start_;
  Clock::time_point next_;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace orrery::launch
