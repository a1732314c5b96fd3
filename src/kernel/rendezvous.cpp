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

/// Send and receive have met. The receiver answers the RTS with a CTS, now or when it looks.
void Simulation::State::answer_rts(std::uint32_t index) {
  Message& message = messages[index];
  if (!attention.in_calls() || host(message.source) == host(message.dest))
    return start_transfer(index, requests[message.recv_request].posted_at);
  message.cts_written = false;
  if (attention.has_seen(message.dest, message.visible)) return write_cts(index, now);
  if (attends(message.dest))
    return write_cts(index, std::max(now, cursors[static_cast<std::uint32_t>(message.dest)].clock));
  attention.leave_unseen(message.dest, index);
}

/// The receiver has seen the RTS and writes the CTS. The data leave when the sender sees that, now or when it looks.
void Simulation::State::write_cts(std::uint32_t index, SimTime at) {
  Message& message = messages[index];
  message.cts_written = true;
  message.cts_at = at;
  if (attends(message.source)) return start_transfer(index, at);
  attention.leave_unseen(message.source, index);
}

/// The rank looks at its connections at its clock.
void Simulation::State::attend(const Cursor& cursor) {
  if (!attention.in_calls()) return;
  if (cursor.serial != 0 && cursor.thread == 0) return;  // a non-blocking collective goes on in the calls of its rank
  for (const std::uint32_t index : attention.look(cursor.rank, std::max(now, cursor.clock))) {
    if (messages[index].cts_written) {
      start_transfer(index, messages[index].cts_at);
    } else {
      write_cts(index, std::max(now, cursor.clock));
    }
  }
}

}  // namespace orrery::kernel
