// SPDX-License-Identifier: BSD-3-Clause
#include "transport/queue_delay.hpp"

#include <algorithm>

namespace orrery::transport {

using platform::HostId;

SimTime QueueDelay::end(const MessageState& message, double bytes, SimTime now) const {
  const std::vector<TransferId>& leaving = traffic_.leaving(message.from);
  const bool follows = std::any_of(leaving.begin(), leaving.end(), [&](TransferId id) {
    return traffic_[id].to != message.to && traffic_[id].written < message.written;
  });
  const Duration ahead = std::max(before_switch(message.from, message.to, message.written, now),
                                  behind_switch(message.from, message.to, now));
  if (!follows && ahead.s <= 0) return now;
  return now + ahead + Duration{bytes / message.bound.bytes_per_s};
}

/// How long a message waits in front of the link of its node: behind messages to other nodes that were written before
/// it, of which up to `depth_bytes_` are in the queue.
/// @param written number of the message among all that were written
Duration QueueDelay::before_switch(HostId from, HostId to, std::uint64_t written, SimTime now) const {
  double bytes = 0;
  Bandwidth bound{1};
  for (const TransferId id : traffic_.leaving(from)) {
    const MessageState& other = traffic_[id];
    if (other.to == to || other.written >= written || other.stage == Stage::LastFrame ||
        links_.leaving_bytes(id, now) <= 0)
      continue;
    bytes += links_.remaining_bytes(id, now);
    bound = other.bound;
  }
  return {std::min(depth_bytes_, bytes) / bound.bytes_per_s};
}

/// How long a message waits behind the switch: behind bytes from other nodes that wait for the link of its receiver.
Duration QueueDelay::behind_switch(HostId from, HostId to, SimTime now) const {
  double bytes = 0;
  Bandwidth bound{1};
  if (depth_bytes_ <= 0) return {};
  for (const TransferId id : traffic_.coming(to)) {
    if (traffic_[id].from == from) continue;
    bytes += links_.between_bytes(id, now);
    bound = traffic_[id].bound;
  }
  return {bytes / bound.bytes_per_s};
}

}  // namespace orrery::transport
