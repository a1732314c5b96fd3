/* SPDX-License-Identifier: BSD-3-Clause
 * MPI_Allreduce of doubles, again and again, with the answer checked.
 * usage: allreduce [iterations] [doubles] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int iterations = argc > 1 ? atoi(argv[1]) : 100;
  const int count = argc > 2 ? atoi(argv[2]) : 1;
  double *in = malloc((size_t)count * sizeof *in), *out = malloc((size_t)count * sizeof *out);
  for (int i = 0; i < iterations; ++i) {
    for (int k = 0; k < count; ++k) in[k] = rank + i;
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (out[0] != (double)size * (size - 1) / 2 + (double)size * i) {
      fprintf(stderr, "rank %d: wrong sum in iteration %d\n", rank, i);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
