// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/transfers.hpp"

#include <algorithm>
#include <utility>

namespace orrery::kernel {

void Transfers::start(std::uint32_t index, SimTime receive_posted) {
  Message& message = messages_[index];
  handling_.begin_frames(message);
  network::Transfer transfer;
  transfer.id = index;
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
  const std::optional<SimTime> released = transport_.start(transfer, clock_.now);
  if (released && message.send_request != none) {
    clock_.queue.push(
        Event::release(std::max(clock_.now, *released), std::exchange(message.send_request, none), message.order));
  }
}

}  // namespace orrery::kernel
