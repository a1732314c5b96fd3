// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernel/queues.hpp"
#include "kernel/send_plan.hpp"

namespace orrery::kernel {

/// A message from the time it is posted until it is both matched and there. The value of its index is its TransferId.
struct Message : Tagged<Message> {
  std::int32_t dest = 0;
  std::uint32_t sequence = 0;  ///< among the point-to-point sends of its source
  Bytes bytes;
  SimTime sent;
  SimTime visible;  ///< when its envelope has arrived
  SimTime cts_at;   ///< when its receiver has written the CTS
  Duration recv_overhead;
  Duration rts_delay;    ///< transport::Transport::rts_delay
  Duration idle_before;  ///< node::Interrupts::idle when its transfer began
  network::Protocol protocol = network::Protocol::Asynchronous;
  bool dropped = false;                                       ///< Optimistic: no receive was posted when it came
  bool fetched = false;                                       ///< and its data come again
  bool queued = false;                                        ///< in the unexpected-message queue of `dest`
  bool announced = false;                                     ///< an event at `visible` is scheduled
  bool arrived = false;                                       ///< its data is there
  RequestIndex send_request = none;                           ///< of a sender that waits: completes with the transfer
  RequestIndex recv_request = none;                           ///< once matched
  MessageIndex next_visible = none, previous_visible = none;  ///< unexpected point-to-point messages by `visible`
  OneSidedIndex one_sided = none;                             ///< the operation that it is a leg of
  bool cts_written = false;                                   ///< its receiver has seen the RTS
  bool last_partition = false;                                ///< of a partitioned send

  void follow(const SendPlan& plan) {
    protocol = plan.protocol;
    sent = plan.posted;
    visible = plan.visible;
    recv_overhead = plan.recv_overhead;
    rts_delay = plan.rts_delay;
  }
};

/// Messages under way, and the number of all that were sent.
class Messages : public Pool<Message> {
 public:
  /// A message that is sent now. Legs of one-sided operations are messages, too.
  [[nodiscard]] MessageIndex send(std::int32_t source, Bytes bytes) {
    const MessageIndex index = take();
    Message& message = (*this)[index];
    message.source = source;
    message.bytes = bytes;
    message.order = next_order();
    bytes_ += bytes;
    return index;
  }
  /// Gives back a message that is matched and there, unless its envelope is still to come.
  void release(MessageIndex index) {
    const Message& message = (*this)[index];
    if (message.arrived && message.recv_request != none && !message.announced) give_back(index);
  }

  /// The place of what is sent now among all that was.
  [[nodiscard]] std::uint64_t next_order() { return sent_++; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  std::uint64_t sent_ = 0;
  Bytes bytes_;
};

}  // namespace orrery::kernel
