/* SPDX-License-Identifier: BSD-3-Clause
 * Every rank says which it is, and what arguments it got. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("rank %d of %d", rank, size);
  for (int i = 1; i < argc; ++i) printf(" %s", argv[i]);
  printf("\n");
  MPI_Finalize();
  return 0;
}
