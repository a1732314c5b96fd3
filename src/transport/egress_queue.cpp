// SPDX-License-Identifier: BSD-3-Clause
#include "transport/egress_queue.hpp"

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

}  // namespace orrery::transport
