/* SPDX-License-Identifier: BSD-3-Clause
 * `crash MARK`: rank 1 touches address 0 after a send, while all others wait for it. */
#include <mpi.h>

#include "mark.h"

int main(int argc, char **argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    mark(argv[1]);
    *(volatile int *)0 = 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
