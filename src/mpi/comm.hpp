// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/attributes.hpp"
#include "mpi/types.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

struct Group {
  std::vector<std::int32_t> world;  ///< world rank of each member
  int references = 1;

  /// Position of a world rank, or `undefined`.
  [[nodiscard]] int rank_of(std::int32_t world_rank) const;
};

/// A communicator as one rank sees it.
struct Comm {
  op::CommId id = 0;
  Group* group = nullptr;
  int rank = 0;  ///< own rank in `group`
  std::string name;
  Errhandler* errhandler = nullptr;
  Attributes attributes;
  std::int32_t next_collective =
      0;               ///< number of the next collective call: the same on all members, MPI requires their order
  int references = 1;  ///< the handle, and each active request
  Info* info = nullptr;

  [[nodiscard]] int size() const { return static_cast<int>(group->world.size()); }
  [[nodiscard]] std::int32_t world(int comm_rank) const { return group->world[static_cast<std::size_t>(comm_rank)]; }
};

void retain(Comm& comm);
void release(Comm& comm);

}  // namespace orrery::mpi
