// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "kernel/state.hpp"

/// When nothing can happen any more: who waits for whom.
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

}  // namespace

Waiting Simulation::State::describe(const Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  Waiting waiting{};
  waiting.rank = cursor.rank;
  waiting.routine = cursor.operation.routine;
  waiting.kind = cursor.frame != none ? op::Kind::Collective : operation.kind;
  waiting.comm = cursor.frame != none ? frames[cursor.frame].comm : operation.comm;
  waiting.tag = operation.tag;
  waiting.bytes = cursor.operation.bytes;

  // The first request that is not complete tells whom it waits for.
  const Request* request = nullptr;
  if (cursor.own_request != none) {
    request = &requests[cursor.own_request];
  } else if (operation.kind != op::Kind::Probe) {
    const auto& table =
        cursor.frame != none ? frames[cursor.frame].requests : ranks[static_cast<std::size_t>(cursor.rank)].requests;
    for (const op::RequestId id : operation.requests) {
      if (id < table.size() && table[id] != none && !requests[table[id]].complete) {
        request = &requests[table[id]];
        break;
      }
    }
  }
  std::int32_t peer = request != nullptr ? request->peer : op::any_source;
  if (operation.kind == op::Kind::Probe) peer = operation.peer;
  if (operation.kind == op::Kind::Lock) peer = lock_holder(operation);
  if (operation.kind == op::Kind::FileLock) peer = file_of(operation).holder;
  if (peer >= 0) waiting.peer = peer;
  if (request != nullptr && cursor.frame == none) {
    waiting.tag = request->tag;
    waiting.bytes = request->bytes;
    waiting.comm = static_cast<op::CommId>(request->context >> 32 & 0x7fffffff);
    if (request->kind == Request::Kind::Collective) waiting.kind = op::Kind::Collective;
    if (request->kind == Request::Kind::Receive) waiting.kind = op::Kind::Irecv;
    if (request->kind == Request::Kind::Partitioned) waiting.kind = op::Kind::Irecv;
    if (request->kind == Request::Kind::Send) waiting.kind = op::Kind::Isend;
  }
  return waiting;
}

std::optional<Deadlock> Simulation::State::find_deadlock() {
  if (alive == 0) return std::nullopt;
  Deadlock deadlock;
  std::vector<std::int32_t> waits_for(ranks.size(), -1);
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (cursors[rank].state == Cursor::State::Ended) continue;
    const Waiting& waiting = deadlock.waiting.emplace_back(describe(cursors[rank]));
    if (waiting.peer) waits_for[rank] = *waiting.peer;
  }
  deadlock.cycle = find_cycle(waits_for);
  return deadlock;
}

}  // namespace orrery::kernel
