// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "mpi/channel/swap_board.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

/// A meeting of all members of a communicator on its swap board, as one of them takes part in it.
class Round {
 public:
  using Slot = channel::SwapBoard::Slot;
  static constexpr int all = std::numeric_limits<int>::max();

  explicit Round(Comm& comm)
      : comm_(comm),
        board_(channel::swap_board(this_rank().memory(), comm.id)),
        number_(board_.rounds.load(std::memory_order_relaxed)) {}  // stands still until we arrive

  /// What the members show, by rank: one's own is to be written before they meet, the others' read after that.
  [[nodiscard]] Slot* slots() { return board_.slots(number_); }

  /// Waits until all have come. Only so many go on, if not all: the others until `share` wakes them.
  void meet(int awake = all) {
    if (board_.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
      board_.arrived.store(0, std::memory_order_relaxed);  // nobody comes again before the round is over
      board_.rounds.store(number_ + 1, std::memory_order_release);
      if (awake > 1) channel::wake_sharers(word(), awake == all ? all : awake - 1);
    } else {
      const auto is_over = [this] { return board_.rounds.load(std::memory_order_acquire) != number_; };
      this_rank().wait_together(word(), is_over);
    }
  }

  /// Has those who go on do `parts` parts of work, by their numbers, and all wait until it is done.
  /// @param part returns whether it could be done @return whether all could
  template <class Part>
  bool share(std::uint32_t parts, Part&& part) {
    channel::SwapBoard::Work& work = this->work();
    for (;;) {
      const std::uint32_t next = work.begun.fetch_add(1, std::memory_order_relaxed);
      if (next >= parts) break;
      if (!part(next)) work.failed.store(1, std::memory_order_relaxed);
      if (work.done.fetch_add(1, std::memory_order_acq_rel) + 1 == parts) channel::wake_sharers(word(), all);
    }
    this_rank().wait_together(word(), [&] { return work.done.load(std::memory_order_acquire) == parts; });
    return work.failed.load(std::memory_order_relaxed) == 0;
  }

  /// This member needs nothing of the others' any more. @return whether it is the last
  [[nodiscard]] bool leave() {
    channel::SwapBoard::Work& work = this->work();
    if (work.left.fetch_add(1, std::memory_order_acq_rel) + 1 != size()) return false;
    // The next but one round, which uses it again, begins when all have left.
    for (auto* counter : {&work.begun, &work.done, &work.failed, &work.left}) {
      counter->store(0, std::memory_order_relaxed);
    }
    return true;
  }

 private:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(comm_.size()); }
  [[nodiscard]] std::atomic<std::uint32_t>& word() { return board_.words[number_ % 2]; }
  [[nodiscard]] channel::SwapBoard::Work& work() { return board_.work[number_ % 2]; }

  Comm& comm_;
  channel::SwapBoard& board_;
  std::uint32_t number_;
};

}  // namespace orrery::mpi
