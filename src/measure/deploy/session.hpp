// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "member.hpp"
#include "rules.hpp"
#include "tally.hpp"
#include "world.hpp"

namespace orrery::deploy {

/// From MPI_Init to MPI_Finalize.
struct Session {
  explicit Session(Settings read) : settings(std::move(read)), tally(settings.rules.size()) {}

  Settings settings;
  World world;
  Tally tally;
  int keyval = MPI_KEYVAL_INVALID;  ///< of members
  MPI_Comm alone = MPI_COMM_NULL;   ///< this rank's own, for messages to itself
  bool idle = false;                ///< several threads may call at once: every call is left to the library

  /// Null: this communicator has none.
  [[nodiscard]] Member* member(MPI_Comm comm) const {
    void* found = nullptr;
    int is_there = 0;
    if (PMPI_Comm_get_attr(comm, keyval, &found, &is_there) != MPI_SUCCESS || is_there == 0) return nullptr;
    return static_cast<Member*>(found);
  }
};

/// Null outside of it.
[[nodiscard]] Session* session();

}  // namespace orrery::deploy
