// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

/// Variables of Fortran whose address has a meaning: MPI_IN_PLACE and its like. They are common blocks in mpif.h and
/// variables with these names in the modules; in which object file they lie is the linker's business.
namespace orrery::abi::fortran {

/// The address of a buffer, or of the variable that stands for one. @param buffer as mpif.h and `mpi` pass it
[[nodiscard]] void* address_of(const void* buffer);
/// MPI_STATUS_IGNORE of C for each of those of Fortran.
[[nodiscard]] MPI_Status* status_or_ignore(MPI_Status* status);
[[nodiscard]] MPI_Status* statuses_or_ignore(MPI_Status* statuses);
[[nodiscard]] int* weights_or_none(int* weights);
[[nodiscard]] int* codes_or_ignore(int* codes);
/// Whether they are MPI_ARGV_NULL, MPI_ARGVS_NULL.
[[nodiscard]] bool is_argv_null(const char* argv);
[[nodiscard]] bool is_argvs_null(const char* argvs);

}  // namespace orrery::abi::fortran
