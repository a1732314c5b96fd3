/* SPDX-License-Identifier: BSD-3-Clause */
/* Three allreduces of 16 bytes, one of 128 KiB, a non-blocking broadcast and a barrier. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  enum { many = 16384 };
  MPI_Init(&argc, &argv);
  double *in = calloc(many, sizeof *in), *out = calloc(many, sizeof *out);
  for (int i = 0; i < 3; ++i) MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(in, out, many, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Ibcast(in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
