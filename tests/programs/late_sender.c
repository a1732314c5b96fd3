// SPDX-License-Identifier: BSD-3-Clause
// Rank 2 computes some microseconds, the argument, before each of 40 sends to rank 0, which then sends to rank 1.
#include <mpi.h>
#include <stdlib.h>

#include "orrery.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double late_s = argc > 1 ? atof(argv[1]) / 1e6 : 0;
  char data[1000] = {0};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 40; ++i) {
    if (rank == 2) {
      ORRERY_COMPUTE(late_s);
      MPI_Send(data, 1000, MPI_BYTE, 0, i, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Recv(data, 1000, MPI_BYTE, 2, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, 8, MPI_BYTE, 1, i, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Recv(data, 8, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
