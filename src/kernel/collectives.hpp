// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unordered_map>

#include "collective/shared_elements.hpp"
#include "kernel/requests.hpp"

namespace orrery::kernel {

/// Collective calls: chooses their algorithms, and lets cursors go through the streams of these.
class Collectives {
 public:
  Collectives(const Config& config, Cursors& cursors, Frames& frames, Requests& requests,
              const collective::Selector& selector, Groups& groups);

  void begin(CursorIndex cursor);
  /// The algorithm that the cursor is inside of is over.
  void end(Cursor& cursor);
  /// The next operation of it; null at the end.
  [[nodiscard]] const op::Operation* next(const Cursor& cursor) { return frames_[cursor.frame].script.next(); }
  /// All members have freed the communicator.
  void release(op::CommId comm) { places_.erase(comm); }

 private:
  [[nodiscard]] FrameIndex open_frame(const Cursor& cursor);
  void choose_algorithm(const Cursor& cursor, Frame& frame, collective::Call& call);
  void begin_in_background(Cursor& cursor, FrameIndex frame);
  [[nodiscard]] collective::Choice choose(const Cursor& cursor, const collective::Call& call) const;
  [[nodiscard]] bool needs_places(const op::Operation& operation) const;
  [[nodiscard]] const collective::Places* places_of(op::CommId comm, std::span<const std::int32_t> members);

  const Config& config_;
  Cursors& cursors_;
  Frames& frames_;
  Requests& requests_;
  const collective::Selector& selector_;
  Groups& groups_;
  collective::SharedElements elements_;
  std::unordered_map<op::CommId, collective::Places> places_;  ///< of communicators whose collectives asked
};

}  // namespace orrery::kernel
