/* SPDX-License-Identifier: BSD-3-Clause
 * `leave MARK STATUS`: rank 1 exits without MPI_Finalize while all others wait for it. */
#include <mpi.h>
#include <stdlib.h>

#include "mark.h"

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    mark(argv[1]);
    exit(atoi(argv[2]));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
