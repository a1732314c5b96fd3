// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

/// The time a program spends inside one MPI routine, from construction to destruction. The bindings open one at the
/// entry of every routine (also those allowed before MPI_Init, where it does nothing).
///
/// Computation is what lies between two calls; the first operation pushed inside carries it.
class Call {
 public:
  /// @param from where the program called: what the entry point returns to, unless `called_from` has said it
  explicit Call(op::RoutineId routine, const void* from = __builtin_return_address(0)) {
    latest_ = routine;
    if (called_from_ != nullptr) from = std::exchange(called_from_, nullptr);
    if (Rank* rank = rank_if_running()) rank->enter(routine, from);
  }
  ~Call() {
    if (Rank* rank = rank_if_running()) rank->leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Routine entered last: MPI_Init learns its own number here, since there was no rank yet when it was entered.
  [[nodiscard]] static op::RoutineId latest() { return latest_; }

  /// An entry point that calls another one says where the program called it; the outermost is right.
  static void called_from(const void* address) {
    if (called_from_ == nullptr) called_from_ = address;
  }

 private:
  inline static op::RoutineId latest_ = 0;
  inline static thread_local const void* called_from_ = nullptr;
};

}  // namespace orrery::mpi
