// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernel/collectives.hpp"
#include "kernel/files.hpp"
#include "kernel/locks.hpp"

namespace orrery::kernel {

/// Communicators end when all their members have freed them; so does what components keep under their numbers.
class Communicators {
 public:
  Communicators(Groups& groups, Cursors& cursors, Collectives& collectives, Locks& locks, Files& files)
      : groups_(groups), cursors_(cursors), collectives_(collectives), locks_(locks), files_(files) {}

  void begin_free(Cursor& cursor) {
    const op::CommId comm = cursor.current->comm;
    if (comm >= freed_.size()) freed_.resize(comm + 1);
    if (++freed_[comm] == groups_.members(comm).size()) release(comm);
    cursors_.go_on(cursor);
  }

 private:
  void release(op::CommId comm) {
    freed_[comm] = 0;
    locks_.release(comm);
    files_.release(comm);
    collectives_.release(comm);
    groups_.release(comm);
  }

  Groups& groups_;
  Cursors& cursors_;
  Collectives& collectives_;
  Locks& locks_;
  Files& files_;
  std::vector<std::uint32_t> freed_;  ///< by communicator: members that have
};

}  // namespace orrery::kernel
