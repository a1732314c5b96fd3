// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "mpi/channel/swap_board.hpp"
#include "mpi/comm.hpp"
#include "mpi/rank.hpp"

namespace orrery::mpi {

/// A meeting of all members of a communicator on its swap board, as one of them takes part in it.
class Round {
 public:
  using Slot = channel::SwapBoard::Slot;

  explicit Round(Comm& comm)
      : comm_(comm),
        board_(channel::swap_board(this_rank().memory(), comm.id)),
        number_(board_.rounds.load(std::memory_order_relaxed)) {}  // stands still until we arrive

  /// What the members show, by rank: one's own is to be written before they meet, the others' read after that.
  [[nodiscard]] Slot* slots() { return board_.slots(number_); }

  /// Waits until all have come. With `at_once` members go on at a time, if so the last of them says; the others wait in
  /// their sleep until those are done.
  void meet(int at_once) {
    const auto size = static_cast<std::uint32_t>(comm_.size());
    if (board_.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      board_.in_turns = at_once < comm_.size() ? 1 : 0;
      board_.arrived.store(0, std::memory_order_relaxed);  // nobody comes again before the round is over
      board_.rounds.store(number_ + 1, std::memory_order_release);
      channel::wake_sharers(word(), at_once);
    } else {
      const auto is_over = [this] { return board_.rounds.load(std::memory_order_acquire) != number_; };
      this_rank().wait_together(word(), is_over);
    }
  }

  /// This member needs nothing of the others' any more. @return whether it is the last
  [[nodiscard]] bool leave() {
    // Only those sleep on this word who have met: the next but one round begins when all have left.
    if (board_.in_turns != 0) channel::wake_sharers(word(), 1);
    auto& left = board_.left[number_ % 2];
    if (left.fetch_add(1, std::memory_order_acq_rel) + 1 != static_cast<std::uint32_t>(comm_.size())) return false;
    left.store(0, std::memory_order_relaxed);
    return true;
  }

 private:
  [[nodiscard]] std::atomic<std::uint32_t>& word() { return board_.words[number_ % 2]; }

  Comm& comm_;
  channel::SwapBoard& board_;
  std::uint32_t number_;
};

}  // namespace orrery::mpi
