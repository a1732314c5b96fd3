// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

/// Lengths of arrays that no parameter says (table.py, LENGTH_WORDS); 0 where C will complain of the communicator.
namespace orrery::abi::fortran {

/// Ranks that a collective call has an element for; 0 where MPI_IN_PLACE says that the array is not looked at.
[[nodiscard]] int peers(int comm, const void* buffer);
[[nodiscard]] int cart_dims(int comm);
[[nodiscard]] int in_neighbors(int comm);
[[nodiscard]] int out_neighbors(int comm);

}  // namespace orrery::abi::fortran
