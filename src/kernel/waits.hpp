// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernel/delivery.hpp"

namespace orrery::kernel {

/// Waits and tests: how a cursor learns that requests are complete; and cancelling, which completes some.
class Waits {
 public:
  Waits(const Clock& clock, Cursors& cursors, Requests& requests, Matching& matching, Delivery& delivery,
        Polling& polling);

  void begin_all(CursorIndex cursor);
  void begin_some(CursorIndex cursor);  ///< WaitAny and WaitSome
  void begin_test(CursorIndex cursor);
  void begin_cancel(Cursor& cursor);

  /// What the cursor waits for is there.
  void resume_all(Cursor& cursor);
  void resume_some(Cursor& cursor);
  void resume_blocking(Cursor& cursor);  ///< a blocking send, receive, or access to a file

  /// Where ranks share processors: one of the requests that the rank slept for was complete at its clock, and it has
  /// got a processor now. It handles all that is there, and sleeps again if that is not what it waits for.
  void wake(Cursor& cursor);

 private:
  [[nodiscard]] bool is_complete(const Cursor& cursor, op::RequestId id);
  [[nodiscard]] std::span<const std::uint32_t> collect(Cursor& cursor, bool only_one);
  [[nodiscard]] bool withdraw(const Cursor& cursor, RequestIndex request);

  const Clock& clock_;
  Cursors& cursors_;
  Requests& requests_;
  Matching& matching_;
  Delivery& delivery_;
  Polling& polling_;
  std::vector<std::uint32_t> positions_;  ///< of requests, in the answer
};

}  // namespace orrery::kernel
