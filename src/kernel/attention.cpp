// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "kernel/state.hpp"

/// Who sees the request of a rendezvous, and its grant. MPI libraries look at their connections in calls that wait or
/// test: while a rank computes, or posts one send after the other, requests and grants lie unread.
///
/// So it matters whether a rank that comes late to an exchange has been in MPI before. What it saw there is in its
/// queue: it grants that when it posts the receive, before it asks for its own data. What it did not see it grants in
/// the wait that follows, after its own request has left (network/connections.hpp says what comes of that).
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

/// Send and receive have met: the request is seen by the receiver, now or later.
void Simulation::State::ask(std::uint32_t index) {
  Message& message = messages[index];
  if (!attentive || host(message.source) == host(message.dest))
    return start_transfer(index, requests[message.recv_request].posted_at);
  RankState& receiver = ranks[static_cast<std::size_t>(message.dest)];
  message.is_granted = false;
  if (message.visible <= receiver.attended) return grant_data(index, now);
  if (attends(message.dest))
    return grant_data(index, std::max(now, cursors[static_cast<std::uint32_t>(message.dest)].clock));
  receiver.unseen.push_back(index);
}

/// The receiver sees the request, and its sender the grant if it looks.
void Simulation::State::grant_data(std::uint32_t index, SimTime at) {
  Message& message = messages[index];
  message.is_granted = true;
  message.granted = at;
  if (attends(message.source)) return start_transfer(index, at);
  ranks[static_cast<std::size_t>(message.source)].unseen.push_back(index);
}

/// The rank looks at its connections at its clock.
void Simulation::State::attend(const Cursor& cursor) {
  if (!attentive) return;
  if (cursor.serial != 0 && cursor.thread == 0) return;  // a non-blocking collective goes on in the calls of its rank
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  rank.attended = std::max({rank.attended, now, cursor.clock});
  if (rank.unseen.empty()) return;
  std::vector<std::uint32_t> seen = std::exchange(rank.unseen, {});
  for (const std::uint32_t index : seen) {
    if (messages[index].is_granted) {
      start_transfer(index, messages[index].granted);
    } else {
      grant_data(index, std::max(now, cursor.clock));
    }
  }
}

}  // namespace orrery::kernel
