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

/// Profiles of all ranks, by the phases that they are in.
class Profiles {
 public:
  explicit Profiles(std::size_t ranks) : ranks_(ranks) {}

  /// The line of a routine in the present phase of a rank.
  RankProfile::Line& line(std::int32_t rank, op::RoutineId routine) {
    PhasedProfile& of = ranks_[static_cast<std::size_t>(rank)];
    return of.profile.line(of.phases.empty() ? 0 : of.phases.back(), routine);
  }
  void spend(std::int32_t rank, op::RoutineId routine, Duration time) { line(rank, routine).time += time; }
  void count_sent(std::int32_t rank, op::RoutineId routine, Bytes bytes) {
    RankProfile::Line& of = line(rank, routine);
    ++of.messages;
    of.bytes += bytes;
  }

  void begin_phase(std::int32_t rank, std::uint32_t phase) {
    ranks_[static_cast<std::size_t>(rank)].phases.push_back(phase);
  }
  [[nodiscard]] bool in_phase(std::int32_t rank) const {
    return !ranks_[static_cast<std::size_t>(rank)].phases.empty();
  }
  void end_phase(std::int32_t rank) { ranks_[static_cast<std::size_t>(rank)].phases.pop_back(); }

  [[nodiscard]] std::vector<ProfileRow> rows() const;  ///< by rank, phase, routine

  static constexpr std::size_t bytes_per_rank() { return sizeof(PhasedProfile); }

 private:
  struct PhasedProfile {
    std::vector<std::uint32_t> phases;  ///< the innermost last
    RankProfile profile;
  };
  std::vector<PhasedProfile> ranks_;
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
  [[nodiscard]] std::vector<AlgorithmUse> sorted() const;  ///< by routine, then by algorithm

 private:
  static bool is(const AlgorithmUse& use, op::RoutineId routine, const collective::Choice& choice) {
    return use.routine == routine && use.choice.algorithm == choice.algorithm && use.choice.segment == choice.segment &&
           use.choice.fanout == choice.fanout && use.choice.instead_of == choice.instead_of;
  }

  std::vector<AlgorithmUse> uses_;
  std::uint32_t last_ = 0;
};

}  // namespace orrery::kernel
