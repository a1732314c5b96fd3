/* SPDX-License-Identifier: BSD-3-Clause
 * `status CODE`: rank 1 ends with CODE, after MPI_Finalize. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  return rank == 1 ? atoi(argv[1]) : 0;
}
