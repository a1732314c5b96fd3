// SPDX-License-Identifier: BSD-3-Clause
#include "mpi.h"

/// Routines of MPI-1 that MPI-3.0 removed (chapter 17), and that old programs still call: each by the one that took its
/// place. The markers MPI_LB and MPI_UB are no handles of the standard ABI.
#define ORRERY_WEAK(name) __attribute__((weak, alias(#name)))

#pragma GCC visibility push(default)
extern "C" {

int PMPI_Address(void* location, MPI_Aint* address) { return PMPI_Get_address(location, address); }

int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lower = 0;
  return PMPI_Type_get_extent(datatype, &lower, extent);
}

int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent = 0;
  return PMPI_Type_get_extent(datatype, displacement, &extent);
}

int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lower = 0, extent = 0;
  const int code = PMPI_Type_get_extent(datatype, &lower, &extent);
  if (code == MPI_SUCCESS) *displacement = lower + extent;
  return code;
}

int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return PMPI_Type_create_hindexed(count, blocklengths, displacements, oldtype, newtype);
}

int PMPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
                     MPI_Datatype* newtype) {
  return PMPI_Type_create_struct(count, blocklengths, displacements, types, newtype);
}

int PMPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler) {
  return PMPI_Comm_create_errhandler(function, errhandler);
}

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return PMPI_Comm_get_errhandler(comm, errhandler);
}

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { return PMPI_Comm_set_errhandler(comm, errhandler); }

ORRERY_WEAK(PMPI_Address) int MPI_Address(void*, MPI_Aint*);
ORRERY_WEAK(PMPI_Type_extent) int MPI_Type_extent(MPI_Datatype, MPI_Aint*);
ORRERY_WEAK(PMPI_Type_lb) int MPI_Type_lb(MPI_Datatype, MPI_Aint*);
ORRERY_WEAK(PMPI_Type_ub) int MPI_Type_ub(MPI_Datatype, MPI_Aint*);
ORRERY_WEAK(PMPI_Type_hvector) int MPI_Type_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*);
ORRERY_WEAK(PMPI_Type_hindexed) int MPI_Type_hindexed(int, int[], MPI_Aint[], MPI_Datatype, MPI_Datatype*);
ORRERY_WEAK(PMPI_Type_struct) int MPI_Type_struct(int, int[], MPI_Aint[], MPI_Datatype[], MPI_Datatype*);
ORRERY_WEAK(PMPI_Errhandler_create) int MPI_Errhandler_create(MPI_Handler_function*, MPI_Errhandler*);
ORRERY_WEAK(PMPI_Errhandler_get) int MPI_Errhandler_get(MPI_Comm, MPI_Errhandler*);
ORRERY_WEAK(PMPI_Errhandler_set) int MPI_Errhandler_set(MPI_Comm, MPI_Errhandler);
}
#pragma GCC visibility pop
