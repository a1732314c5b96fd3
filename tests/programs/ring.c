/* SPDX-License-Identifier: BSD-3-Clause
 * A token goes round the ring: `ring [BYTES [ROUNDS]]`. Each rank adds one to its first byte; rank 0 checks the sum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  int bytes = argc > 1 ? atoi(argv[1]) : 8, rounds = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned char *token = calloc((size_t)bytes, 1);
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      ++token[0];
      MPI_Send(token, bytes, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
      MPI_Recv(token, bytes, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(token, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ++token[0];
      MPI_Send(token, bytes, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    }
  }
  int wrong = rank == 0 && token[0] != (unsigned char)(size * rounds);
  if (rank == 0) printf("token %d\n", token[0]);
  free(token);
  MPI_Finalize();
  return wrong;
}
