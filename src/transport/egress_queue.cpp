// SPDX-License-Identifier: BSD-3-Clause
#include "transport/egress_queue.hpp"

#include <algorithm>

namespace orrery::transport {

bool EgressQueue::enter(TransferId id) {
  MessageState& message = traffic_[id];
  Queue& queue = queues_[message.from];
  message.stage = Stage::Egress;
  message.has_waited = !queue.empty();
  queue.push(traffic_, id);
  return !message.has_waited;
}

TransferId EgressQueue::put_last_frame_behind(TransferId id) {
  MessageState& message = traffic_[id];
  Queue& queue = queues_[message.from];
  message.stage = Stage::LastFrame;
  message.has_waited = false;
  queue.pop(traffic_);
  queue.push(traffic_, id);
  return queue.first();
}

TransferId EgressQueue::leave(TransferId id) {
  Queue& queue = queues_[traffic_[id].from];
  if (queue.first() != id) return no_message;
  queue.pop(traffic_);
  return queue.first();
}

Duration EgressQueue::control_delay(platform::HostId from, SimTime now) const {
  const Queue& queue = queues_[from];
  if (control_bytes_ <= 0 || queue.empty()) return {};
  const TransferId first = queue.first();
  double bytes = std::max(0.0, links_.leaving_bytes(first, now) - held_back_bytes(traffic_[first]));
  bytes += control_bytes_;
  queue.each(traffic_, [&](TransferId id) {
    const MessageState& message = traffic_[id];
    if (id == first) return;
    bytes += message.stage == Stage::LastFrame ? message.last_frame_bytes : message.bytes - held_back_bytes(message);
  });
  return {bytes / traffic_[first].bound.bytes_per_s};
}

}  // namespace orrery::transport
