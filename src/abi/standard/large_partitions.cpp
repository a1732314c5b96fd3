// SPDX-License-Identifier: BSD-3-Clause
#include "mpi.h"

/// Counts of partitions are large in the only form that there is (MPI-4.0, sections 4.2.1 and 4.2.2). The header that
/// the ABI working group publishes with its stubs has `_c` forms besides, so programs that were compiled with it may
/// call them. An int that they pass to the others arrives as it is: moving one into a register clears the upper half.
#define ORRERY_PUBLIC __attribute__((visibility("default")))
#define ORRERY_WEAK(name) __attribute__((weak, alias(#name), visibility("default")))

extern "C" {

ORRERY_PUBLIC int PMPI_Psend_init_c(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest,
                                    int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return PMPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request);
}

ORRERY_PUBLIC int PMPI_Precv_init_c(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source,
                                    int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return PMPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, request);
}

ORRERY_WEAK(PMPI_Psend_init_c)
int MPI_Psend_init_c(const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*);
ORRERY_WEAK(PMPI_Precv_init_c)
int MPI_Precv_init_c(void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*);
}
