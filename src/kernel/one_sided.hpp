// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>

#include "base/quantity.hpp"
#include "kernel/pool.hpp"
#include "op/op.hpp"

namespace orrery::kernel {

/// A put, get or accumulate, or a lock's message, from its call until its origin knows that it is done.
struct OneSided {
  enum class Leg : std::uint8_t {
    Outward,  ///< to the target: data, or the request for them
    Reply,    ///< data on their way back
    Grant,    ///< of a lock, on its way back
  };

  op::Kind kind = op::Kind::Put;
  Leg leg = Leg::Outward;
  bool exclusive = false;     ///< of a lock
  bool arrived = false;       ///< at the target
  std::int32_t origin = 0;    ///< world rank
  std::int32_t target = 0;    ///< world rank; op::any_source: all of the window
  CursorIndex cursor = none;  ///< that waits for a lock
  op::CommId window = 0;
  Bytes bytes;
  RequestIndex epoch = none;  ///< request that counts it with others
  RequestIndex own = none;    ///< request of it alone
  OneSidedIndex next = none;  ///< behind it: ordered operations of one origin on one target, or waiting locks
  std::int64_t effect = 0;    ///< the data plane's name of what takes effect
  std::uint64_t begun = 0;    ///< its place among all messages
};

/// Those who wait for a lock, in the order in which their requests arrived.
struct LockQueue {
  OneSidedIndex first = none, last = none;

  void append(Pool<OneSided>& pool, OneSidedIndex index) {
    (last == none ? first : pool[last].next) = index;
    last = index;
  }
  OneSidedIndex take_first(Pool<OneSided>& pool) {
    const OneSidedIndex index = first;
    first = pool[index].next;
    if (first == none) last = none;
    pool[index].next = none;
    return index;
  }
};

/// The lock of one target in one window.
struct TargetLock {
  bool exclusive = false;
  std::uint32_t shared = 0;  ///< holders, without those of the whole window
  std::int32_t holder = -1;  ///< world rank that was granted it last
  LockQueue waiting;
};

/// The locks of one window. Whoever locks all shares each with those who lock it alone; as one counter for the window
/// tells of them, that is one exchange of messages, whatever the size of the window.
struct WindowLocks {
  std::map<std::int32_t, TargetLock> targets;  ///< by world rank, once they were locked
  std::uint32_t all = 0;                       ///< holders of the whole window
  std::int32_t all_holder = -1;                ///< world rank that was granted it last
  std::uint32_t exclusive = 0;                 ///< targets held exclusively
  LockQueue waiting;                           ///< for the whole window
};

}  // namespace orrery::kernel
