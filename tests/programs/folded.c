// SPDX-License-Identifier: BSD-3-Clause
// Each rank asks for MIB of memory that all ranks share, writes all of it, sends it round, and gives it back. Says what it
// reads of its own: folded MIB.
#include <mpi.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t bytes = (size_t)atoi(argv[1]) << 20;
  char* sent = ORRERY_SHARED_MALLOC(bytes);
  char* received = ORRERY_SHARED_MALLOC(bytes);
  if (sent == NULL || received == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  for (size_t i = 0; i < bytes; i += 4096) sent[i] = (char)(rank + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv(sent, (int)bytes, MPI_CHAR, (rank + 1) % size, 0, received, (int)bytes, MPI_CHAR,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int own = 1;
  for (size_t i = 0; i < bytes; i += 4096) own &= sent[i] == rank + 1;
  int owns = 0;
  MPI_Reduce(&own, &owns, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d of %d ranks read what they have written\n", owns, size);
  ORRERY_SHARED_FREE(received);
  ORRERY_SHARED_FREE(sent);
  MPI_Finalize();
  return 0;
}
