// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/clock/limited_wait.hpp"

namespace orrery::mpi {

/// Who may make a descriptor readable or writable: nobody but this process, and what it has forked, where both ends of
/// a pipe are open here, of a socket that leads to this process, of an event counter or a timer. Of an epoll
/// descriptor: who may do so to any of its members. Others lead elsewhere. Cost: some system calls.
[[nodiscard]] WaitReach reach_of(int descriptor);

}  // namespace orrery::mpi
