// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/quantity.hpp"
#include "settings/node.hpp"

namespace orrery::node {

/// A virtual processor among those that want the cores of its host.
struct Seat {
  std::uint32_t host = 0;    ///< number of the host, among all
  std::uint32_t number = 0;  ///< of the virtual processor, among those of its host
  std::uint32_t wanted = 0;  ///< how many virtual processors want a core of the host all the time; 0: nobody shares it
  std::uint32_t cores = 1;   ///< how many cores the host has
};

/// When a virtual processor has a core. Ranks poll while they wait, so a virtual processor wants one all the time.
///
/// Time is divided into periods of length T. In each of them the virtual processor is without a core once, for A:
///
///     n > P virtual processors want P cores:   T = slice · n / P    A = T − (1 − s) · slice
///     otherwise, with a share s stolen:        T = steal / s        A = steal
///
/// So the share of time stolen is 1 − (1 − s) · min(1, P / n). In the first case those of a host follow each other,
/// T / n apart, so that exactly P of them run at any time, and the host begins at a drawn time. In the second case the
/// place of A in T is drawn for each period. Draws depend on seed, host, virtual processor and period only, never on
/// the order of questions.
class VirtualProcessor {
 public:
  /// One that always has a core.
  VirtualProcessor() = default;
  VirtualProcessor(const settings::Hypervisor& settings, const Seat& seat, std::uint64_t seed);

  /// How long it takes from `time` until the processor has a core; 0 if it has one.
  [[nodiscard]] Duration absence(SimTime time) const { return period_.s > 0 ? place(time).absence : Duration{}; }
  /// How long work takes that begins, or waits for a core, at `from`.
  [[nodiscard]] Duration lasts(SimTime from, Duration work) const;

 private:
  struct Place {
    double period = 0;    ///< number of the period
    bool before = false;  ///< the absence of the period is yet to come
    Duration absence;     ///< what is left of it, if the processor is absent
    Duration had;         ///< a core for so long since the period began
  };

  [[nodiscard]] Place place(SimTime time) const;
  [[nodiscard]] SimTime begin_of(double period) const { return first_ + period_ * period; }
  /// How long the processor has a core in the period before its absence.
  [[nodiscard]] Duration runs_before(double period) const;

  Duration period_;  ///< T; 0: the processor always has a core
  Duration absent_;  ///< A
  SimTime first_;    ///< beginning of the first period, not after 0
  bool drawn_ = false;
  std::uint64_t key_ = 0;
};

}  // namespace orrery::node
