/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks as a square: each row reduces, then each column gathers, several times. */
#include <mpi.h>
#include <stdlib.h>

enum { LENGTH = 1 << 16, TIMES = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, side = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while ((side + 1) * (side + 1) <= size) ++side;
  MPI_Comm row, column;
  MPI_Comm_split(MPI_COMM_WORLD, rank / side, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % side, rank, &column);
  double* mine = calloc(LENGTH, sizeof *mine);
  double* all = calloc((size_t)LENGTH * (size_t)size, sizeof *all);
  for (int i = 0; i < TIMES; ++i) {
    MPI_Allreduce(mine, all, LENGTH, MPI_DOUBLE, MPI_SUM, row);
    MPI_Allgather(mine, LENGTH / 64, MPI_DOUBLE, all, LENGTH / 64, MPI_DOUBLE, column);
    MPI_Bcast(mine, LENGTH, MPI_DOUBLE, i, MPI_COMM_WORLD);
  }
  free(mine);
  free(all);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Finalize();
  return 0;
}
