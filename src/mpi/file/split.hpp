// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/file/file_object.hpp"

/// Split collective accesses (MPI-4.1, section 14.4.5): a non-blocking one whose request the file keeps.
namespace orrery::mpi {

/// @param ended_by the routine that may end it: a literal
void begin_split(File& file, const char* ended_by, Request* request);
/// @throws Error (MPI_ERR_IO) when none is under way, or one that another routine ends
void end_split(File& file, const char* routine, Status* status);

}  // namespace orrery::mpi
