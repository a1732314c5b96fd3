// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace orrery::node {

/// Processors that all ranks share, for example because the nodes are containers on one machine.
///
/// A cursor (the stream of a rank, or one of its non-blocking collectives) keeps its processor until it sleeps: it
/// computes, sends, and receives what has arrived; or until it gives way after its time slice (kernel/turns.hpp). A
/// cursor that finds no free processor waits in a FIFO.
class Processors {
 public:
  /// @param count of processors; 0: every rank has its own, and no other method is called
  explicit Processors(std::uint32_t count) : free_(count), shared_(count > 0) {}

  [[nodiscard]] bool shared() const { return shared_; }
  [[nodiscard]] bool has(std::uint32_t cursor) const { return cursor < states_.size() && states_[cursor] == Has; }
  /// Number of free processors.
  [[nodiscard]] std::uint32_t idle() const { return free_; }
  /// Whether a cursor waits for a processor.
  [[nodiscard]] bool wanted() const { return !waiting_.empty(); }

  /// The cursor wants a processor. It is put into the FIFO once, however often this is called.
  /// @return whether it has one; if not, it waits until `next` returns it
  bool want(std::uint32_t cursor);
  /// The cursor sleeps or has ended, and frees its processor if it has one.
  void leave(std::uint32_t cursor);
  /// Gives a free processor to the first cursor in the FIFO. Call it until it gives none: then no processor is free, or
  /// no cursor waits.
  std::optional<std::uint32_t> next();

 private:
  enum State : std::uint8_t { Sleeps, Waits, Has };

  std::uint32_t free_;
  bool shared_;
  std::vector<State> states_;  ///< by cursor
  std::deque<std::uint32_t> waiting_;
};

}  // namespace orrery::node
