/* SPDX-License-Identifier: BSD-3-Clause
 * MPI_Alltoall, again and again, with the blocks checked.
 * usage: alltoall [iterations] [bytes per pair] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int iterations = argc > 1 ? atoi(argv[1]) : 10;
  const int bytes = argc > 2 ? atoi(argv[2]) : 1024;
  char *out = malloc((size_t)bytes * (size_t)size), *in = malloc((size_t)bytes * (size_t)size);
  for (int i = 0; i < iterations; ++i) {
    for (int r = 0; r < size; ++r) out[(size_t)r * (size_t)bytes] = (char)(rank + 3 * r + i);
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) {
      if (in[(size_t)r * (size_t)bytes] != (char)(r + 3 * rank + i)) {
        fprintf(stderr, "rank %d: wrong block from %d in iteration %d\n", rank, r, i);
        MPI_Abort(MPI_COMM_WORLD, 3);
      }
    }
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
