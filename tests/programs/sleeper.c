/* SPDX-License-Identifier: BSD-3-Clause
 * Sleeps for an hour of simulated time and says how long it took by MPI's clock. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double start = MPI_Wtime();
  sleep(3600);
  printf("%.3f\n", MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}
