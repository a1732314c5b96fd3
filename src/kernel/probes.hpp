// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernel/matching.hpp"
#include "kernel/polling.hpp"

namespace orrery::kernel {

/// Probes: whether a message is there, and which.
class Probes {
 public:
  Probes(Cursors& cursors, const Messages& messages, Matching& matching, Polling& polling, std::size_t ranks);

  void begin(CursorIndex cursor);   ///< Probe and Iprobe
  void resume(CursorIndex cursor);  ///< an envelope has arrived

  /// Whether a cursor of the rank waits in a probe.
  [[nodiscard]] bool wait(std::int32_t rank) const;
  /// An envelope has arrived: whoever of the rank waits in a probe looks again.
  void wake(std::int32_t rank);

  static constexpr std::size_t bytes_per_rank() { return sizeof(std::vector<CursorIndex>); }

 private:
  [[nodiscard]] bool answer_now(CursorIndex cursor);
  void wake_cursor(CursorIndex cursor);

  Cursors& cursors_;
  const Messages& messages_;
  Matching& matching_;
  Polling& polling_;
  std::vector<std::vector<CursorIndex>> apart_;  ///< by rank, cursors Apart that wait in a probe
};

}  // namespace orrery::kernel
