// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

#include "mpi/request/staging.hpp"

/// What the library of Fortran's entry points asks of the library of its interface besides the routines of MPI. Both
/// are built together and lie side by side.
extern "C" {

/// Gives an active or persistent request the copies that it works on.
void orrery_stage_request(MPI_Request request, orrery::mpi::Staging* staging);
/// Gives a window a copy that a result comes into, of an access to `target`.
void orrery_stage_window(MPI_Win window, int target, orrery::mpi::Staging* staging);
/// Raises MPI_ERR_BUFFER on behalf of a routine that keeps its buffer, which is no contiguous memory.
/// @param routine its number (routine_names.hpp) @return what the routine returns
int orrery_refuse_section(int routine, MPI_Comm comm);
}
