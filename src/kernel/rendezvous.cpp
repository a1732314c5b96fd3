// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "kernel/state.hpp"

/// The handshake of a rendezvous: when the receiver sees the RTS, and its sender the CTS (node/progress.hpp).
namespace orrery::kernel {

/// Whether the rank looks at its connections now.
bool Simulation::State::attends(std::int32_t rank) const {
  const Cursor& cursor = cursors[static_cast<std::uint32_t>(rank)];
  switch (cursor.state) {
    case Cursor::State::Waits:
    case Cursor::State::Wakes:
    case Cursor::State::Parked:
    case Cursor::State::Ended: return true;
    default: return ranks[static_cast<std::size_t>(rank)].threads_waiting > 0;
  }
}

/// Send and receive have met: the receiver sees the RTS, now or later.
void Simulation::State::ask(std::uint32_t index) {
  Message& message = messages[index];
  if (!attention.in_calls() || host(message.source) == host(message.dest))
    return start_transfer(index, requests[message.recv_request].posted_at);
  message.is_granted = false;
  if (attention.has_seen(message.dest, message.visible)) return grant_data(index, now);
  if (attends(message.dest))
    return grant_data(index, std::max(now, cursors[static_cast<std::uint32_t>(message.dest)].clock));
  attention.leave_unseen(message.dest, index);
}

/// The receiver sees the RTS, and its sender the CTS if it looks.
void Simulation::State::grant_data(std::uint32_t index, SimTime at) {
  Message& message = messages[index];
  message.is_granted = true;
  message.granted = at;
  if (attends(message.source)) return start_transfer(index, at);
  attention.leave_unseen(message.source, index);
}

/// The rank looks at its connections at its clock.
void Simulation::State::attend(const Cursor& cursor) {
  if (!attention.in_calls()) return;
  if (cursor.serial != 0 && cursor.thread == 0) return;  // a non-blocking collective goes on in the calls of its rank
  for (const std::uint32_t index : attention.look(cursor.rank, std::max(now, cursor.clock))) {
    if (messages[index].is_granted) {
      start_transfer(index, messages[index].granted);
    } else {
      grant_data(index, std::max(now, cursor.clock));
    }
  }
}

}  // namespace orrery::kernel
