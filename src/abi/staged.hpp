// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

#include "mpi/request/staging.hpp"

/// What the functions of abi/staging.hpp do, once handles are those of the standard interface.
namespace orrery::abi {

/// What is begun is known to no other thread yet.
[[gnu::visibility("default")]] void stage_request(MPI_Request handle, mpi::Staging* staging);

[[gnu::visibility("default")]] void stage_window(MPI_Win handle, int target, mpi::Staging* staging);

/// @return the error code
[[gnu::visibility("default")]] int refuse_section(int routine, MPI_Comm comm);

}  // namespace orrery::abi
