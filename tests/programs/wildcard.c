/* SPDX-License-Identifier: BSD-3-Clause
 * Rank 0 receives from anybody, in the order in which messages arrive there; all others send at times that differ from
 * run to run on the host (they compute for a while that depends on their process id), but not in the simulation. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static void dawdle(void) {
  volatile double x = 1;
  for (long i = 0; i < (getpid() % 17) * 20000L; ++i) x = x * 1.0000001;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    for (int i = 0; i < (size - 1) * ROUNDS; ++i) {
      char data[40000];
      MPI_Status status;
      MPI_Recv(data, sizeof data, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      printf("%d:%d ", status.MPI_SOURCE, status.MPI_TAG);
    }
    printf("\n");
  } else {
    static char data[40000];
    for (int round = 0; round < ROUNDS; ++round) {
      dawdle();
      MPI_Send(data, (rank * 7919 + round * 104729) % 40000, MPI_BYTE, 0, round, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
