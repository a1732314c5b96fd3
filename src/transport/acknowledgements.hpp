// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "transport/message.hpp"

namespace orrery::transport {

/// Acknowledgements of TCP. For each byte that a node receives, it sends `fraction` bytes back. They are not flows of
/// their own. A message whose way they share is longer by `fraction` of its bytes instead: those are sent after its
/// data.
class Acknowledgements {
 public:
  /// @param fraction bytes of acknowledgements for each byte of data (`ack_fraction`)
  Acknowledgements(const Traffic& traffic, double fraction) : traffic_(traffic), fraction_(fraction) {}

  /// The data of a message begins to leave its node.
  void begin(MessageState& message) const {
    message.meets_acks = meets(message);
    message.acks_bytes = fraction_ * message.bytes;
  }
  /// Bytes to be sent when the data of a message has been sent; 0: it has met no acknowledgements.
  [[nodiscard]] double added_bytes(const MessageState& message) const {
    if (message.stage == Stage::AddedAcks || message.acks_bytes <= 0) return 0;
    return message.meets_acks || meets(message) ? message.acks_bytes : 0;
  }

 private:
  /// Whether acknowledgements between other nodes use a link of this message: for what its sender receives, or for what
  /// its receiver sends. Acknowledgements between its own two nodes travel with the data.
  [[nodiscard]] bool meets(const MessageState& message) const {
    const auto& coming = traffic_.coming(message.from);
    const auto& leaving = traffic_.leaving(message.to);
    return std::any_of(coming.begin(), coming.end(), [&](TransferId id) { return traffic_[id].from != message.to; }) ||
           std::any_of(leaving.begin(), leaving.end(), [&](TransferId id) { return traffic_[id].to != message.from; });
  }

  const Traffic& traffic_;
  double fraction_;
};

}  // namespace orrery::transport
