// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.hpp"

namespace orrery::network {

/// Processors that the ranks of several nodes take turns on, as where nodes are containers of one machine.
///
/// Handling a message takes `work` of a processor and, when nobody else wants one, `overhead` of its rank's time (a
/// wake-up included). When all processors are busy it waits for its turn: it ends at max(begin + overhead, turn +
/// work). A rank may take a turn that lies ahead of the present; the time before it stays free for others.
///
/// Nobody is driven from a processor: a rank that goes on where its last turn ended keeps it. The turns that others
/// were given meanwhile stay, and are made up for after them: until then a processor may have done more than it can.
class Processors {
 public:
  struct Turn {
    SimTime begins, ends;
  };

  /// @param count 0: every rank has its own, nobody waits
  explicit Processors(std::uint32_t count) : busy_(count) {}

  [[nodiscard]] bool shared() const { return !busy_.empty(); }

  /// @param now never decreases from call to call   @param at not before `now`
  Turn take(std::int32_t rank, SimTime now, SimTime at, Duration work, Duration overhead);

 private:
  struct Interval {
    double begin_s, end_s;
  };
  using Intervals = std::vector<Interval>;  ///< apart, in the order of time

  /// Where a rank's last turn was, and when it is over.
  struct Last {
    std::size_t processor = 0;
    double end_s = -1;
  };

  static double first_gap(const Intervals& busy, double at_s, double work_s);
  static void insert(Intervals& busy, double begin_s, double work_s);
  void choose(Last& own, double& begin_s, double at_s, double work_s) const;

  std::vector<Intervals> busy_;  ///< of each processor, what has not ended
  std::vector<Last> last_;       ///< by rank
};

}  // namespace orrery::network
