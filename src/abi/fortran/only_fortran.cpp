// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "abi/fortran/convert.hpp"

/// Routines that C does not have.
using namespace orrery::abi::fortran;

#pragma GCC visibility push(default)
extern "C" {

/// Bytes of a variable, or of an element of an array. Both modules pass descriptors.
void pmpi_sizeof_(const void* variable, int* size, int* ierror) {
  *size = static_cast<int>(Array(variable).element);
  done(ierror, MPI_SUCCESS);
}
ORRERY_NAME(pmpi_sizeof_) void mpi_sizeof_(const void* variable, int* size, int* ierror);

/// Does nothing; for the compiler, a variable that is passed may change here (MPI-4.1, section 19.1.17).
void pmpi_f_sync_reg_(void* /*variable*/) {}
ORRERY_NAME(pmpi_f_sync_reg_) void mpi_f_sync_reg_(void* variable);
ORRERY_NAME(pmpi_f_sync_reg_) void mpi_f_sync_reg_f08ts_(void* variable);
ORRERY_NAME(pmpi_f_sync_reg_) void pmpi_f_sync_reg_f08ts_(void* variable);

// A status is the same integers as a type and as an array.
void pmpi_status_f2f08_(const MPI_Status* from, MPI_Status* to, int* ierror) {
  std::memcpy(to, from, sizeof *to);
  done(ierror, MPI_SUCCESS);
}
ORRERY_NAMES(status_f2f08, (const MPI_Status* from, MPI_Status* to, int* ierror));
ORRERY_NAME(pmpi_status_f2f08_) void mpi_status_f082f_(const MPI_Status* from, MPI_Status* to, int* ierror);
ORRERY_NAME(pmpi_status_f2f08_) void pmpi_status_f082f_(const MPI_Status* from, MPI_Status* to, int* ierror);
ORRERY_NAME(pmpi_status_f2f08_) void mpi_status_f082f_f08_(const MPI_Status* from, MPI_Status* to, int* ierror);
ORRERY_NAME(pmpi_status_f2f08_) void pmpi_status_f082f_f08_(const MPI_Status* from, MPI_Status* to, int* ierror);

/// `==` and `/=` of handles in mpi_f08.
#define ORRERY_COMPARE(type)                                                                    \
  Logical orrery_same_handle_##type##_(const int* a, const int* b) { return *a == *b ? 1 : 0; } \
  Logical orrery_other_handle_##type##_(const int* a, const int* b) { return *a != *b ? 1 : 0; }

ORRERY_COMPARE(comm)
ORRERY_COMPARE(group)
ORRERY_COMPARE(datatype)
ORRERY_COMPARE(op)
ORRERY_COMPARE(request)
ORRERY_COMPARE(message)
ORRERY_COMPARE(errhandler)
ORRERY_COMPARE(info)
ORRERY_COMPARE(win)
ORRERY_COMPARE(file)
ORRERY_COMPARE(session)
}
#pragma GCC visibility pop
