// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "kernel/state.hpp"

/// Locks of windows (MPI-4.1, section 12.5.3): requests and releases travel as empty messages, and are dealt with in
/// the order in which they arrive; of those that arrive at one instant, in the order in which they were sent.
namespace orrery::kernel {
namespace {

/// A message about a lock has no length.
constexpr Bytes empty{};

}  // namespace

void Simulation::State::begin_lock(std::uint32_t cursor_index) {
  Cursor& cursor = cursors[cursor_index];
  const op::Operation& operation = *cursor.current;
  const std::uint32_t index = one_sided.take();
  OneSided& lock = one_sided[index];
  lock.kind = operation.kind;
  lock.exclusive = operation.has(op::Exclusive);
  lock.origin = cursor.rank;
  lock.target = operation.peer;
  lock.window = operation.comm;
  lock.begun = sent++;
  lock.cursor = cursor_index;
  const network::Cost cost = transport.cost(host(lock.origin), lock_host(lock), empty);
  queue.push(Event::one_sided(cursor.clock + cost.latency, index, lock.begun));
  cursor.clock += cost.send_overhead;
  if (operation.kind == op::Kind::Unlock) return go_on(cursor);
  cursor.own_request = none;
  cursor.state = Cursor::State::Waits;
}

/// Where the lock is kept: at its target, or, for the whole window, at the first member.
platform::HostId Simulation::State::lock_host(const OneSided& lock) {
  if (lock.target != op::any_source) return host(lock.target);
  const auto members = groups.members(lock.window);
  return host(members.empty() ? lock.origin : members[0]);
}

void Simulation::State::lock_arrived(std::uint32_t index) {
  OneSided& lock = one_sided[index];
  if (lock.leg == OneSided::Leg::Grant) {
    const std::uint32_t waiting = lock.cursor;
    one_sided.give_back(index);
    Cursor& cursor = cursors[waiting];
    cursor.clock = std::max(cursor.clock, now);
    cursor.state = Cursor::State::Resumes;
    return schedule(waiting);
  }
  WindowLocks& window = locks[lock.window];
  if (lock.target == op::any_source) {
    window.waiting.append(one_sided, index);
    return grant_all(window);
  }
  TargetLock& target = window.targets[lock.target];
  target.waiting.append(one_sided, index);
  grant_target(window, target);
}

/// Those who wait for the whole window, unless someone has a part of it for himself, or asked for it before them.
void Simulation::State::grant_all(WindowLocks& window) {
  const auto asked_before = [&](std::uint32_t all, std::uint32_t other) {
    return other != none && one_sided[other].begun < one_sided[all].begun;
  };
  while (window.waiting.first != none && window.exclusive == 0) {
    for (const auto& [rank, target] : window.targets) {
      if (asked_before(window.waiting.first, target.waiting.first)) return;
    }
    const std::uint32_t index = window.waiting.take_first(one_sided);
    ++window.all;
    window.all_holder = one_sided[index].origin;
    grant(index);
  }
}

/// Those who wait for one target, in their order, as far as they get along with those who have it.
void Simulation::State::grant_target(WindowLocks& window, TargetLock& target) {
  while (target.waiting.first != none && !target.exclusive) {
    const bool exclusive = one_sided[target.waiting.first].exclusive;
    if (exclusive && (target.shared > 0 || window.all > 0)) return;
    const std::uint32_t index = target.waiting.take_first(one_sided);
    target.holder = one_sided[index].origin;
    if (exclusive) {
      target.exclusive = true;
      ++window.exclusive;
    } else {
      ++target.shared;
    }
    grant(index);
  }
}

void Simulation::State::grant(std::uint32_t index) {
  OneSided& lock = one_sided[index];
  lock.leg = OneSided::Leg::Grant;
  const Duration latency = transport.cost(lock_host(lock), host(lock.origin), empty).latency;
  queue.push(Event::one_sided(now + latency, index, lock.begun));
}

void Simulation::State::unlock_arrived(std::uint32_t index) {
  const OneSided unlock = one_sided[index];
  one_sided.give_back(index);
  WindowLocks& window = locks[unlock.window];
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
std::int32_t Simulation::State::lock_holder(const op::Operation& lock) const {
  const auto found = locks.find(lock.comm);
  if (found == locks.end()) return -1;
  const WindowLocks& window = found->second;
  for (const auto& [rank, target] : window.targets) {
    if (lock.peer != op::any_source && lock.peer != rank) continue;
    if (target.exclusive || (lock.peer == rank && target.shared > 0)) return target.holder;
  }
  return window.all > 0 ? window.all_holder : -1;
}

}  // namespace orrery::kernel
