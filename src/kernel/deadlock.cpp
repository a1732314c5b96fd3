// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/deadlock.hpp"

#include <algorithm>

namespace orrery::kernel {
namespace {

/// A circle in the graph "waits for", where each waits for at most one; empty if there is none. Starts at its smallest
/// rank.
std::vector<std::int32_t> find_cycle(const std::vector<std::int32_t>& waits_for) {
  enum : std::uint8_t { Unseen, OnPath, Done };
  std::vector<std::uint8_t> seen(waits_for.size(), Unseen);
  for (std::size_t start = 0; start < waits_for.size(); ++start) {
    std::vector<std::int32_t> path;
    auto at = static_cast<std::int32_t>(start);
    while (at >= 0 && seen[static_cast<std::size_t>(at)] == Unseen) {
      seen[static_cast<std::size_t>(at)] = OnPath;
      path.push_back(at);
      at = waits_for[static_cast<std::size_t>(at)];
    }
    const bool closed = at >= 0 && seen[static_cast<std::size_t>(at)] == OnPath;
    for (const std::int32_t rank : path) seen[static_cast<std::size_t>(rank)] = Done;
    if (!closed) continue;
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
    return path;
  }
  return {};
}

/// What the cursor's wait is about, where a request of its rank's stream tells.
void describe_request(const Request& request, Waiting& waiting) {
  waiting.tag = request.tag;
  waiting.bytes = request.bytes;
  waiting.comm = comm_of(request.context);
  switch (request.kind) {
    case Request::Kind::Collective: waiting.kind = op::Kind::Collective; break;
    case Request::Kind::Receive:
    case Request::Kind::Partitioned: waiting.kind = op::Kind::Irecv; break;
    case Request::Kind::Send: waiting.kind = op::Kind::Isend; break;
    default: break;
  }
}

}  // namespace

std::optional<Deadlock> DeadlockReport::find() const {
  if (cursors_.alive() == 0) return std::nullopt;
  Deadlock deadlock;
  std::vector<std::int32_t> waits_for(cursors_.ranks(), -1);
  for (std::uint32_t rank = 0; rank < cursors_.ranks(); ++rank) {
    const Cursor& cursor = cursors_[CursorIndex{rank}];
    if (cursor.state == Cursor::State::Ended) continue;
    const Waiting& waiting = deadlock.waiting.emplace_back(describe(cursor));
    if (waiting.peer) waits_for[rank] = *waiting.peer;
  }
  deadlock.cycle = find_cycle(waits_for);
  return deadlock;
}

Waiting DeadlockReport::describe(const Cursor& cursor) const {
  const op::Operation& operation = *cursor.current;
  const bool in_collective = cursor.frame != none;
  Waiting waiting{};
  waiting.rank = cursor.rank;
  waiting.routine = cursor.operation.routine;
  waiting.kind = in_collective ? op::Kind::Collective : operation.kind;
  waiting.comm = in_collective ? frames_[cursor.frame].comm : operation.comm;
  waiting.tag = operation.tag;
  waiting.bytes = cursor.operation.bytes;
  const Request* request = awaited(cursor);
  const std::int32_t peer = peer_of(operation, request);
  if (peer >= 0) {
    waiting.peer = peer;
    waiting.peer_ended = cursors_.of_rank(peer).state == Cursor::State::Ended;
  }
  if (in_collective) return waiting;
  if (request != nullptr) describe_request(*request, waiting);
  if (waiting.kind == op::Kind::Irecv || waiting.kind == op::Kind::Probe) waiting.nearest = nearest(cursor, request);
  return waiting;
}

std::optional<Unmatched> DeadlockReport::nearest(const Cursor& cursor, const Request* request) const {
  const MessageIndex index =
      matching_.nearest(cursor.rank, request != nullptr ? Queued(*request) : wanted_by(*cursor.current));
  if (index == none) return std::nullopt;
  const Message& message = messages_[index];
  return Unmatched{message.source, message.tag, comm_of(message.context), message.bytes};
}

/// The first request that is not complete tells whom the cursor waits for.
const Request* DeadlockReport::awaited(const Cursor& cursor) const {
  if (cursor.own_request != none) return &requests_[cursor.own_request];
  if (cursor.current->kind == op::Kind::Probe) return nullptr;
  return requests_.first_incomplete(cursor, cursor.current->requests);
}

std::int32_t DeadlockReport::peer_of(const op::Operation& operation, const Request* request) const {
  switch (operation.kind) {
    case op::Kind::Probe: return operation.peer;
    case op::Kind::Lock: return locks_.holder(operation);
    case op::Kind::FileLock: return files_.holder(operation);
    default: return request != nullptr ? request->peer : op::any_source;
  }
}

}  // namespace orrery::kernel
