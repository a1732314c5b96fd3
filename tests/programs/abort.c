/* SPDX-License-Identifier: BSD-3-Clause
 * `abort MARK CODE`: rank 1 calls MPI_Abort while all others wait for it. */
#include <mpi.h>
#include <stdlib.h>

#include "mark.h"

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    mark(argv[1]);
    MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
