// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

/// The time a program spends inside one MPI routine, from construction to destruction. The bindings open one at the
/// entry of every routine (also those allowed before MPI_Init, where it does nothing).
///
/// Computation is what lies between two calls; the first operation pushed inside carries it.
class Call {
 public:
  explicit Call(op::RoutineId routine) {
    latest_ = routine;
    if (Rank* rank = rank_if_running()) rank->enter(routine);
  }
  ~Call() {
    if (Rank* rank = rank_if_running()) rank->leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Routine entered last: MPI_Init learns its own number here, since there was no rank yet when it was entered.
  [[nodiscard]] static op::RoutineId latest() { return latest_; }

 private:
  inline static op::RoutineId latest_ = 0;
};

}  // namespace orrery::mpi
