// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>

#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/intercomm.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

/// All ranks that the run has or may get, where those send each other messages that have no communicator in common.
class MeetingPlace {
 public:
  /// @param what for: messages of different places do not meet
  explicit MeetingPlace(const char* what) {
    comm_.id = beside(what);
    comm_.group = &group_;
    comm_.rank = this_rank().world_rank();
    group_.world.resize(this_rank().settings().capacity);
    std::iota(group_.world.begin(), group_.world.end(), 0);
  }
  MeetingPlace(const MeetingPlace&) = delete;
  MeetingPlace& operator=(const MeetingPlace&) = delete;

  [[nodiscard]] Comm& comm() { return comm_; }
  [[nodiscard]] const Group& group() const { return group_; }

 private:
  Group group_;
  Comm comm_;
};

}  // namespace orrery::mpi
