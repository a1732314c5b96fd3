/* SPDX-License-Identifier: BSD-3-Clause
   The last rank gives MPI_Allreduce no element ("none") or a thousand times as many ("many"), or calls MPI_Gather instead
   ("kinds"). */
#include <mpi.h>
#include <string.h>

static double in[4000], out[4000], all[64];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int last = rank == size - 1;
  const int count = !last || argc < 2 ? 4 : strcmp(argv[1], "none") == 0 ? 0 : strcmp(argv[1], "many") == 0 ? 4000 : 4;
  if (last && argc > 1 && strcmp(argv[1], "kinds") == 0) {
    MPI_Gather(in, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, last, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
