// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

namespace orrery::mpi {

/// Cached attributes of a communicator or datatype by key value (MPI-4.1, section 7.7).
struct Attributes {
  std::map<int, void*> values;
};

}  // namespace orrery::mpi
