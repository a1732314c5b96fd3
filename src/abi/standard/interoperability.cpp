// SPDX-License-Identifier: BSD-3-Clause
#include "mpi.h"

#include <cstring>

#include "abi/handle.hpp"
#include "handle_numbers.hpp"

/// Conversions between C's handles and statuses and Fortran's (MPI-4.1, section 19.3).

#define ORRERY_WEAK(name) __attribute__((weak, alias(#name)))

#pragma GCC visibility push(default)
extern "C" {

#define ORRERY_HANDLE(name, C)                                                              \
  MPI_Fint PMPI_##name##_c2f(C handle) { return orrery::abi::handle_number(handle); }       \
  C PMPI_##name##_f2c(MPI_Fint number) { return orrery::abi::handle_of_number<C>(number); } \
  ORRERY_WEAK(PMPI_##name##_c2f) MPI_Fint MPI_##name##_c2f(C handle);                       \
  ORRERY_WEAK(PMPI_##name##_f2c) C MPI_##name##_f2c(MPI_Fint number);

ORRERY_HANDLE(Comm, MPI_Comm)
ORRERY_HANDLE(Group, MPI_Group)
ORRERY_HANDLE(Type, MPI_Datatype)
ORRERY_HANDLE(Op, MPI_Op)
ORRERY_HANDLE(Errhandler, MPI_Errhandler)
ORRERY_HANDLE(Info, MPI_Info)
ORRERY_HANDLE(Request, MPI_Request)
ORRERY_HANDLE(Message, MPI_Message)
ORRERY_HANDLE(Win, MPI_Win)
ORRERY_HANDLE(File, MPI_File)
ORRERY_HANDLE(Session, MPI_Session)

/// Constants of Fortran, set when libmpi_abi_fortran.so is there to say where they are.
MPI_Fint* MPI_F_STATUS_IGNORE = nullptr;
MPI_Fint* MPI_F_STATUSES_IGNORE = nullptr;
MPI_F08_status* MPI_F08_STATUS_IGNORE = nullptr;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = nullptr;

static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));

/// Statuses that stand for "ignore" have nothing to convert (MPI-4.1, section 19.3.5).
#define ORRERY_STATUS(name, From, To)                                                                           \
  int PMPI_Status_##name(const From* from, To* to) {                                                            \
    const void* const given = from;                                                                             \
    if (given == nullptr || given == MPI_F_STATUS_IGNORE || given == MPI_F_STATUSES_IGNORE) return MPI_ERR_ARG; \
    if (given == MPI_F08_STATUS_IGNORE || given == MPI_F08_STATUSES_IGNORE) return MPI_ERR_ARG;                 \
    std::memcpy(to, given, sizeof(MPI_Status));                                                                 \
    return MPI_SUCCESS;                                                                                         \
  }                                                                                                             \
  ORRERY_WEAK(PMPI_Status_##name) int MPI_Status_##name(const From* from, To* to);

ORRERY_STATUS(c2f, MPI_Status, MPI_Fint)
ORRERY_STATUS(c2f08, MPI_Status, MPI_F08_status)
ORRERY_STATUS(f2c, MPI_Fint, MPI_Status)
ORRERY_STATUS(f2f08, MPI_Fint, MPI_F08_status)
ORRERY_STATUS(f082c, MPI_F08_status, MPI_Status)
ORRERY_STATUS(f082f, MPI_F08_status, MPI_Fint)
}
#pragma GCC visibility pop
