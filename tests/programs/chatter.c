/* SPDX-License-Identifier: BSD-3-Clause
 * Rank 0 talks for ever. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (;;) {
    if (rank == 0) puts("and on");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
