// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/message.hpp"
#include "transport/switch_queue.hpp"

namespace orrery::transport {

/// How long a short message waits behind bytes of other messages: in front of the link of its node, and behind the
/// switch, in front of the link of its receiver. Large messages do not wait here: they are flows, and share the links.
class QueueDelay {
 public:
  /// @param depth_bytes of a flow that wait in front of its bottleneck, at most
  QueueDelay(const Traffic& traffic, const SwitchQueue& links, double depth_bytes)
      : traffic_(traffic), links_(links), depth_bytes_(depth_bytes) {}

  /// Wait of a control message that is written now: the queues one after the other.
  [[nodiscard]] Duration of_control(platform::HostId from, platform::HostId to, SimTime now) const {
    return before_switch(from, to, traffic_.written(), now) + behind_switch(from, to, now);
  }
  /// Earliest time at which `bytes` of a small message that leaves now have passed both queues. They empty at the same
  /// time, so the longer wait counts. Behind other messages of its node it leaves at the rate of the link, as these
  /// have used up the burst of the link.
  [[nodiscard]] SimTime end(const MessageState& message, double bytes, SimTime now) const;

 private:
  [[nodiscard]] Duration before_switch(platform::HostId from, platform::HostId to, std::uint64_t written,
                                       SimTime now) const;
  [[nodiscard]] Duration behind_switch(platform::HostId from, platform::HostId to, SimTime now) const;

  const Traffic& traffic_;
  const SwitchQueue& links_;
  double depth_bytes_;
};

}  // namespace orrery::transport
