// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/delivery.hpp"

namespace orrery::kernel {

/// Receives: begins them.
class Receiving {
 public:
  Receiving(const Clock& clock, Cursors& cursors, const Threads& threads, Frames& frames, Messages& messages,
            Requests& requests, Matching& matching, Delivery& delivery);

  void begin(CursorIndex cursor);
  /// Whether a receive takes a message that its rank can see by now and that waits for no receive: then it gives the
  /// same times when it is posted ahead of its own. Whatever comes meanwhile stands behind that message anyhow.
  [[nodiscard]] bool takes_what_is_there(const Cursor& cursor) const;

 private:
  [[nodiscard]] RequestIndex open_request(const Cursor& cursor);
  void receive_taken(const Cursor& cursor, const op::Operation& operation, RequestIndex request);

  const Clock& clock_;
  Cursors& cursors_;
  const Threads& threads_;
  Frames& frames_;
  Messages& messages_;
  Requests& requests_;
  Matching& matching_;
  Delivery& delivery_;
};

}  // namespace orrery::kernel
