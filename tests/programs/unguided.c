/* SPDX-License-Identifier: BSD-3-Clause
 * MPI_COMM_TYPE_HW_UNGUIDED says in the hints that it is given by what it has divided (MPI-4.1, section 7.4.2), until
 * nothing is left to divide: writes the kinds, of the largest parts first. */
#include "check.h"

#include <string.h>

static int rank;

int main(void) {
  MPI_Comm part = MPI_COMM_WORLD;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (;;) {
    MPI_Comm smaller;
    MPI_Info info;
    char type[64] = "", of_comm[64] = "";
    int is_there, length = sizeof type;
    MPI_Info_create(&info);
    MPI_Comm_split_type(part, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &smaller);
    MPI_Info_get_string(info, "mpi_hw_resource_type", &length, type, &is_there);
    CHECK(is_there == (smaller != MPI_COMM_NULL));
    MPI_Info_free(&info);
    if (smaller == MPI_COMM_NULL) break;
    if (rank == 0) printf("%s\n", type);
    length = sizeof of_comm;
    MPI_Comm_get_info(smaller, &info);
    MPI_Info_get_string(info, "mpi_hw_resource_type", &length, of_comm, &is_there);
    CHECK(is_there && strcmp(type, of_comm) == 0);
    MPI_Info_free(&info);
    part = smaller;
  }
  MPI_Finalize();
  return 0;
}
