// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.hpp"
#include "kernel/kernel.hpp"
#include "op/op.hpp"

namespace orrery::kernel {

/// Where the simulated time of one rank went, by phase and routine. A rank uses few routines: a short list, looked up
/// from the line that was used last, is smaller and faster than a map. Computation (routine 0) comes between any two.
class RankProfile {
 public:
  struct Line {
    std::uint32_t phase = 0;
    op::RoutineId routine = 0;
    std::uint64_t calls = 0;
    Duration time;
    std::uint64_t messages = 0;
    Bytes bytes;
  };

  Line& line(std::uint32_t phase, op::RoutineId routine) {
    std::uint32_t& last = routine == 0 ? last_computation_ : last_call_;
    const std::size_t lines = lines_.size();
    if (last < lines && is(lines_[last], phase, routine)) return lines_[last];
    for (last = 0; last < lines; ++last) {
      if (is(lines_[last], phase, routine)) return lines_[last];
    }
    Line& fresh = lines_.emplace_back();
    fresh.phase = phase;
    fresh.routine = routine;
    return fresh;
  }
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }

 private:
  static bool is(const Line& line, std::uint32_t phase, op::RoutineId routine) {
    return line.routine == routine && line.phase == phase;
  }

  std::vector<Line> lines_;
  std::uint32_t last_computation_ = 0, last_call_ = 0;
};

/// Which algorithms served the collective calls of a run, by routine. There are few: a short list, looked up from the
/// entry that was used last.
class AlgorithmUses {
 public:
  /// The entry of a routine and an algorithm with its parameters.
  std::uint32_t find(op::RoutineId routine, const collective::Choice& choice) {
    if (last_ < uses_.size() && is(uses_[last_], routine, choice)) return last_;
    for (last_ = 0; last_ < uses_.size(); ++last_) {
      if (is(uses_[last_], routine, choice)) return last_;
    }
    uses_.push_back({.routine = routine, .choice = choice});
    return last_;
  }
  AlgorithmUse& operator[](std::uint32_t i) { return uses_[i]; }
  [[nodiscard]] const std::vector<AlgorithmUse>& all() const { return uses_; }

 private:
  static bool is(const AlgorithmUse& use, op::RoutineId routine, const collective::Choice& choice) {
    return use.routine == routine && use.choice.algorithm == choice.algorithm && use.choice.segment == choice.segment &&
           use.choice.fanout == choice.fanout;
  }

  std::vector<AlgorithmUse> uses_;
  std::uint32_t last_ = 0;
};

}  // namespace orrery::kernel
