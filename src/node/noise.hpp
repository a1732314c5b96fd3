// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.hpp"
#include "settings/node.hpp"

namespace orrery::node {

/// When the system of a node takes a processor away from the rank that computes on it: ticks of the clock, interrupts
/// of devices, other programs.
///
/// Each kind of interruption comes once in every period T = every_s, for A = takes_s, at a place in it that is drawn,
/// uniform in [0, T - A]. The simulation begins at a drawn moment of a period, so that none is quieter at first. Kinds
/// know nothing of each other: where two meet, both take their time. Work W that begins at t lasts D, the least time
/// for which
///
///     D = W + Σ over kinds of the time that they take in [t, t + D]
///
/// Draws depend on seed, rank, kind and period only, never on the order of questions.
class Noise {
 public:
  /// None.
  Noise() = default;
  /// @param rank whose processor it is
  Noise(const std::vector<settings::Interruption>& kinds, std::uint32_t rank, std::uint64_t seed);

  /// How long it takes from `time` until no kind has the processor; 0 if none has it.
  [[nodiscard]] Duration absence(SimTime time) const;
  /// How long work takes that begins, or waits for the processor, at `from`.
  [[nodiscard]] Duration lasts(SimTime from, Duration work) const;

 private:
  class Kind {
   public:
    Kind(const settings::Interruption& settings, std::uint64_t key);
    /// What it has taken until `time`, from the beginning of the period in which the simulation begins.
    [[nodiscard]] Duration taken(SimTime time) const;
    /// How long it still has the processor.
    [[nodiscard]] Duration left(SimTime time) const;

   private:
    struct Place {
      double period = 0;  ///< its number
      Duration since;     ///< its interruption began; negative: it is yet to begin
    };
    [[nodiscard]] Place place(SimTime time) const;

    Duration period_, length_;
    std::uint64_t key_;
    Duration before_;  ///< part of the first period that was over when the simulation began
  };

  [[nodiscard]] Duration taken(SimTime from, SimTime until) const;

  std::vector<Kind> kinds_;
};

}  // namespace orrery::node
