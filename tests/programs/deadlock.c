/* SPDX-License-Identifier: BSD-3-Clause
 * `deadlock MARK`: ranks 0 and 1 receive from each other before they send; the others wait in a barrier. */
#include <mpi.h>

#include "mark.h"

int main(int argc, char **argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  mark(argv[1]);
  if (rank < 2) {
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 5 + rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 6 - rank, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
