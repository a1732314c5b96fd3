/* SPDX-License-Identifier: BSD-3-Clause
   Divides the world by the level that the argument names. The first rank of each part prints how many are in it, if the
   level is one that MPI_Get_hw_resource_info lists. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Info asked, there;
  char key[MPI_MAX_INFO_KEY], value[8];
  int length = sizeof value, listed = 0, rank, size;
  snprintf(key, sizeof key, "orrery://%s", argv[1]);
  MPI_Get_hw_resource_info(&there);
  MPI_Info_get_string(there, key, &length, value, &listed);
  MPI_Info_free(&there);
  MPI_Info_create(&asked);
  MPI_Info_set(asked, "mpi_hw_resource_type", argv[1]);
  MPI_Comm part;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, asked, &part);
  MPI_Info_free(&asked);
  if (part == MPI_COMM_NULL) {
    printf("none\n");
  } else {
    MPI_Comm_rank(part, &rank);
    MPI_Comm_size(part, &size);
    if (rank == 0 && listed) printf("%d\n", size);
    MPI_Comm_free(&part);
  }
  MPI_Finalize();
  return 0;
}
