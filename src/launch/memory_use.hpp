// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>

namespace orrery::launch {

/// Largest memory use of a run: the sum of its processes' proportional set sizes (shared pages count once in total).
///
/// Reading one walks the page tables of a process and holds it up meanwhile, so samples are seldom: from 0.1 s on every
/// 0.5 s, and never more than a fiftieth of the time. Above 64 processes 16 of them are read and the sum scaled. Short
/// peaks between samples are missed.
class MemoryUse {
 public:
  using Clock = std::chrono::steady_clock;

  explicit MemoryUse(Clock::time_point start) : next_(start + std::chrono::milliseconds(100)) {}

  [[nodiscard]] Clock::time_point next() const { return next_; }
  void sample(std::span<const pid_t> processes);                          ///< those that have ended count as nothing
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }  ///< 0: no sample was taken

 private:
  Clock::time_point next_;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace orrery::launch
