// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "transport/fifo.hpp"
#include "transport/message.hpp"

namespace orrery::transport {

/// The queue in front of the link of each node. Small messages leave their node one after the other, in the order in
/// which they were written, whatever their target. Larger messages do not enter it: they share the link.
///
/// Autocorking. Linux holds a last frame that is not full back until the other frames of its message have left
/// (tcp_autocorking); the frame is then last in the queue. The last frame of a message that finds the queue empty is
/// not held back, and neither is that of a message whose sender waits for an ACK.
class EgressQueue {
 public:
  /// @param small_bytes on the wire, of the largest message that enters the queue
  EgressQueue(Traffic& traffic, std::size_t hosts, double small_bytes)
      : traffic_(traffic), small_bytes_(small_bytes), queues_(hosts) {}

  [[nodiscard]] bool is_small(const Message& message) const { return message.bytes <= small_bytes_; }

  /// @return whether the message is the first, so that it leaves at once
  bool enter(TransferId id);
  /// The first message of a queue has left but for its last frame, which goes to the end of the queue.
  /// @return whose turn it is now; it can be the last frame itself
  [[nodiscard]] TransferId put_last_frame_behind(TransferId id);
  /// A message has left its node. It may not have been in the queue.
  /// @return whose turn it is now; no_message if nobody's
  [[nodiscard]] TransferId leave(TransferId id);

  /// Bytes of a small message that are held back: its last frame.
  [[nodiscard]] static double held_back_bytes(const MessageState& message) {
    return message.has_waited && !message.acknowledged ? message.last_frame_bytes : 0;
  }

 private:
  using Queue = Fifo<&MessageState::next_in_egress>;

  Traffic& traffic_;
  double small_bytes_;
  std::vector<Queue> queues_;  ///< by host
};

}  // namespace orrery::transport
