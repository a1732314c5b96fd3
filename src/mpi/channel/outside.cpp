// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/outside.hpp"

#include <optional>

#include "mpi/channel/process_state.hpp"

namespace orrery::mpi::channel {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(50);
constexpr auto long_enough = std::chrono::milliseconds(300);

}  // namespace

bool OutsideWatch::waits(int rank, std::uint64_t turn, pid_t process, bool in_library, Clock::time_point now) {
  if (rank != rank_ || turn != turn_) {
    rank_ = rank;
    turn_ = turn;
    asleep_since_ = looked_ = now;
    ticks_ = 0;
    waits_ = false;
    return false;
  }
  if (now - looked_ < between_looks) return waits_;
  looked_ = now;
  const std::optional<ProcessState> state = in_library || process == 0 ? std::nullopt : state_of(process);
  if (!state || !state->asleep || state->has_children || state->ticks != ticks_) {
    ticks_ = state ? state->ticks : 0;
    asleep_since_ = now;
  }
  waits_ = now - asleep_since_ >= long_enough;
  return waits_;
}

}  // namespace orrery::mpi::channel
