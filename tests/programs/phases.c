/* SPDX-License-Identifier: BSD-3-Clause
 * A barrier outside of any phase and one message of 1000 bytes in phase 3. */
#include <mpi.h>

int main(int argc, char **argv) {
  int rank;
  char data[1000] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(3);
  if (rank == 0) MPI_Send(data, sizeof data, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(data, sizeof data, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Pcontrol(-3);
  MPI_Finalize();
  return 0;
}
