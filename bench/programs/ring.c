/* SPDX-License-Identifier: BSD-3-Clause
 * Messages per second: every rank sends to its right neighbour and receives from its left one, again and again.
 * usage: ring [iterations] [bytes] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int iterations = argc > 1 ? atoi(argv[1]) : 1000;
  const int bytes = argc > 2 ? atoi(argv[2]) : 8;
  char *out = calloc(1, (size_t)bytes + 1), *in = calloc(1, (size_t)bytes + 1);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < iterations; ++i) {
    out[0] = (char)(rank + i);
    MPI_Sendrecv(out, bytes, MPI_BYTE, right, 0, in, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (bytes > 0 && in[0] != (char)(left + i)) {
      fprintf(stderr, "rank %d: wrong data in iteration %d\n", rank, i);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
