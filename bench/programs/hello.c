/* SPDX-License-Identifier: BSD-3-Clause
 * Start-up: init, barrier, finalize. With an argument, every rank waits so many seconds before it ends, to be looked at. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) pause();
  MPI_Finalize();
  return 0;
}
