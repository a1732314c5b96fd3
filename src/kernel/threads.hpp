// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/index.hpp"

namespace orrery::kernel {

/// Which threads of ranks wait for answers of the kernel, and which streams are parked: nothing came of them, and they
/// are not waited for (kernel/apart.cpp).
class Threads {
 public:
  explicit Threads(std::size_t ranks) : ranks_(ranks) {}

  /// In operations Apart.
  [[nodiscard]] bool wait_for_answers(std::int32_t rank) const { return at(rank).waiting > 0; }
  /// Are believed to: they were answered, or sent something, since they waited.
  [[nodiscard]] bool run(std::int32_t rank) const { return at(rank).running > 0; }

  void begins_to_wait(std::int32_t rank) {
    Counts& of = at(rank);
    ++of.waiting;
    if (of.running > 0) --of.running;
  }
  void is_answered(std::int32_t rank) {
    --at(rank).waiting;
    ++at(rank).running;
  }
  /// They were waited for in vain.
  void are_silent(std::int32_t rank) { at(rank).running = 0; }

  std::vector<CursorIndex> parked;  ///< cursors in that state

  static constexpr std::size_t bytes_per_rank() { return sizeof(Counts); }

 private:
  struct Counts {
    std::uint32_t waiting = 0, running = 0;
  };
  [[nodiscard]] Counts& at(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const Counts& at(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  std::vector<Counts> ranks_;
};

}  // namespace orrery::kernel
