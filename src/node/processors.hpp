// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace orrery::node {

/// Who has a processor, where all ranks share a few, as where nodes are containers of one machine.
///
/// A cursor (a rank's stream, or a non-blocking collective of it) has a processor from when it gets one until it
/// sleeps, whatever it does in between: computes, sends, receives what is there. None is preempted. Who finds all
/// taken waits, first come, first served (SCHED_FIFO of Linux).
class Processors {
 public:
  /// @param count 0: every rank has its own, and nobody asks
  explicit Processors(std::uint32_t count) : free_(count), shared_(count > 0) {}

  [[nodiscard]] bool shared() const { return shared_; }
  [[nodiscard]] bool has(std::uint32_t cursor) const { return cursor < states_.size() && states_[cursor] == Has; }
  /// Processors that nobody has.
  [[nodiscard]] std::uint32_t idle() const { return free_; }
  /// Whether somebody waits for a processor.
  [[nodiscard]] bool wanted() const { return !waiting_.empty(); }

  /// @return whether the cursor has a processor; else it waits, once however often it asks, for `next` to name it
  bool want(std::uint32_t cursor);
  /// The cursor sleeps, or is over. Nothing happens where it has none.
  void leave(std::uint32_t cursor);
  /// Who is given a processor that has become free; none: none is, or nobody waits. Ask until it says so.
  std::optional<std::uint32_t> next();

 private:
  enum State : std::uint8_t { Sleeps, Waits, Has };

  std::uint32_t free_;
  bool shared_;
  std::vector<State> states_;  ///< by cursor
  std::deque<std::uint32_t> waiting_;
};

}  // namespace orrery::node
