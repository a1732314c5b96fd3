// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/transfers.hpp"

#include <algorithm>
#include <utility>

namespace orrery::kernel {

/// A rendezvous between nodes waits until its receiver has a core to answer the RTS, and then its sender to read the
/// CTS.
Duration Transfers::until_answered(const Message& message) const {
  if (network::starts_at_once(message.protocol) || hosts_.same(message.source, message.dest)) return {};
  return processors_.back(message.source, processors_.back(message.dest, clock_.now)) - clock_.now;
}

void Transfers::start(MessageIndex index, SimTime receive_posted) {
  Message& message = messages_[index];
  handling_.begin_frames(message);
  network::Transfer transfer;
  transfer.id = index.value;
  transfer.from = hosts_.place(message.source);
  transfer.to = hosts_.place(message.dest);
  transfer.from_rank = message.source;
  transfer.to_rank = message.dest;
  transfer.rts_delay = message.rts_delay;
  transfer.fetched = message.fetched;
  transfer.bytes = message.bytes;
  transfer.protocol = message.protocol;
  transfer.send_posted = message.sent;
  transfer.receive_posted = receive_posted;
  transfer.setup = until_answered(message);
  const std::optional<SimTime> released = transport_.start(transfer, clock_.now);
  if (released && message.send_request != none) {
    clock_.queue.push(
        Event::release(std::max(clock_.now, *released), std::exchange(message.send_request, none), message.order));
  }
}

}  // namespace orrery::kernel
