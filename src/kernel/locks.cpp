// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/locks.hpp"

namespace orrery::kernel {
namespace {

/// A message about a lock has no length.
constexpr Bytes empty{};

}  // namespace

Locks::Locks(Clock& clock, const Hosts& hosts, Cursors& cursors, Messages& messages, Pool<OneSided>& operations,
             transport::Transport& transport, Groups& groups)
    : clock_(clock),
      hosts_(hosts),
      cursors_(cursors),
      messages_(messages),
      operations_(operations),
      transport_(transport),
      groups_(groups) {}

void Locks::begin(CursorIndex cursor_index) {
  Cursor& cursor = cursors_[cursor_index];
  const op::Operation& operation = *cursor.current;
  const OneSidedIndex index = operations_.take();
  OneSided& lock = operations_[index];
  lock.kind = operation.kind;
  lock.exclusive = operation.has(op::Exclusive);
  lock.origin = cursor.rank;
  lock.target = operation.peer;
  lock.window = operation.comm;
  lock.begun = messages_.next_order();
  lock.cursor = cursor_index;
  const network::Cost cost = transport_.cost(hosts_.of(lock.origin), lock_host(lock), empty);
  clock_.queue.push(Event::one_sided(cursor.clock + cost.latency, index, lock.begun));
  cursor.clock += cost.send_overhead;
  if (operation.kind == op::Kind::Unlock) return cursors_.go_on(cursor);
  cursor.own_request = none;
  cursor.state = Cursor::State::Waits;
}

/// Where the lock is kept: at its target, or, for the whole window, at the first member.
platform::HostId Locks::lock_host(const OneSided& lock) {
  if (lock.target != op::any_source) return hosts_.of(lock.target);
  const auto members = groups_.members(lock.window);
  return hosts_.of(members.empty() ? lock.origin : members[0]);
}

void Locks::resume(Cursor& cursor) {
  cursors_.go_on(cursor);
  cursors_.answer(cursor, {});
}

void Locks::arrived(OneSidedIndex index) {
  if (operations_[index].kind == op::Kind::Unlock) return release_arrived(index);
  request_arrived(index);
}

void Locks::request_arrived(OneSidedIndex index) {
  OneSided& lock = operations_[index];
  if (lock.leg == OneSided::Leg::Grant) {
    const CursorIndex waiting = lock.cursor;
    operations_.give_back(index);
    return cursors_.wake(waiting);
  }
  WindowLocks& window = windows_[lock.window];
  if (lock.target == op::any_source) {
    window.waiting.append(operations_, index);
    return grant_all(window);
  }
  TargetLock& target = window.targets[lock.target];
  target.waiting.append(operations_, index);
  grant_target(window, target);
}

/// Those who wait for the whole window, unless someone has a part of it for himself, or asked for it before them.
void Locks::grant_all(WindowLocks& window) {
  const auto asked_before = [&](OneSidedIndex all, OneSidedIndex other) {
    return other != none && operations_[other].begun < operations_[all].begun;
  };
  while (window.waiting.first != none && window.exclusive == 0) {
    for (const auto& [rank, target] : window.targets) {
      if (asked_before(window.waiting.first, target.waiting.first)) return;
    }
    const OneSidedIndex index = window.waiting.take_first(operations_);
    ++window.all;
    window.all_holder = operations_[index].origin;
    grant(index);
  }
}

/// Those who wait for one target, in their order, as far as they get along with those who have it.
void Locks::grant_target(WindowLocks& window, TargetLock& target) {
  while (target.waiting.first != none && !target.exclusive) {
    const bool exclusive = operations_[target.waiting.first].exclusive;
    if (exclusive && (target.shared > 0 || window.all > 0)) return;
    const OneSidedIndex index = target.waiting.take_first(operations_);
    target.holder = operations_[index].origin;
    if (exclusive) {
      target.exclusive = true;
      ++window.exclusive;
    } else {
      ++target.shared;
    }
    grant(index);
  }
}

void Locks::grant(OneSidedIndex index) {
  OneSided& lock = operations_[index];
  lock.leg = OneSided::Leg::Grant;
  const Duration latency = transport_.cost(lock_host(lock), hosts_.of(lock.origin), empty).latency;
  clock_.queue.push(Event::one_sided(clock_.now + latency, index, lock.begun));
}

void Locks::release_arrived(OneSidedIndex index) {
  const OneSided unlock = operations_[index];
  operations_.give_back(index);
  WindowLocks& window = windows_[unlock.window];
  if (unlock.target == op::any_source) {
    if (window.all > 0 && --window.all == 0) {
      for (auto& [rank, target] : window.targets) grant_target(window, target);
    }
    return grant_all(window);
  }
  TargetLock& target = window.targets[unlock.target];
  if (target.exclusive) {
    target.exclusive = false;
    --window.exclusive;
  } else if (target.shared > 0) {
    --target.shared;
  }
  grant_all(window);
  grant_target(window, target);
}

/// Who has what this lock waits for.
std::int32_t Locks::holder(const op::Operation& lock) const {
  const auto found = windows_.find(lock.comm);
  if (found == windows_.end()) return -1;
  const WindowLocks& window = found->second;
  for (const auto& [rank, target] : window.targets) {
    if (lock.peer != op::any_source && lock.peer != rank) continue;
    if (target.exclusive || (lock.peer == rank && target.shared > 0)) return target.holder;
  }
  return window.all > 0 ? window.all_holder : -1;
}

}  // namespace orrery::kernel
