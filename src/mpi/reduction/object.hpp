// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/datatype/object.hpp"
#include "mpi/reduction/kernel.hpp"
#include "mpi/reduction/reduction.hpp"

namespace orrery::mpi {

struct Op {
  Operation operation = Operation::User;
  const char* name = "a user's operation";
  Combine combine = {};          ///< of a user's operation
  void (*function)() = nullptr;  ///< the program's, which `combine` calls
  bool commutative = true;
  int references = 1;  ///< the handle, and reductions under way
};

/// The loop of a predefined operation for a predefined type; null if it is not defined.
[[nodiscard]] Kernel find_kernel(Operation operation, const Datatype& type);
/// The basic type of a predefined type that is one element; null for pairs and derived types.
[[nodiscard]] const Basic* single_basic(const Datatype& type);

}  // namespace orrery::mpi
