// SPDX-License-Identifier: BSD-3-Clause
/* A balanced or unbalanced halo exchange with an allreduce a step: BLOCK x BLOCK points per rank (weak scaling). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, dims[2] = {0, 0}, periods[2] = {1, 1};
  const int block = argc > 1 ? atoi(argv[1]) : 128, steps = argc > 2 ? atoi(argv[2]) : 200;
  const int work = argc > 3 ? atoi(argv[3]) : 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  int up, down, left, right;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  const int pitch = block + 2;
  double* now = calloc((size_t)pitch * pitch, sizeof *now);
  double* next = calloc((size_t)pitch * pitch, sizeof *next);
  double *out = malloc(sizeof *out * 2 * block), *in = malloc(sizeof *in * 2 * block);
  for (int i = 0; i < pitch * pitch; ++i) now[i] = next[i] = i % 7;
  MPI_Barrier(grid);
  const double begin = MPI_Wtime();
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < block; ++i) {
      out[i] = now[(i + 1) * pitch + 1];
      out[block + i] = now[(i + 1) * pitch + block];
    }
    MPI_Request requests[8];
    MPI_Irecv(&now[1], block, MPI_DOUBLE, up, 0, grid, &requests[0]);
    MPI_Irecv(&now[(block + 1) * pitch + 1], block, MPI_DOUBLE, down, 1, grid, &requests[1]);
    MPI_Irecv(in, block, MPI_DOUBLE, left, 2, grid, &requests[2]);
    MPI_Irecv(in + block, block, MPI_DOUBLE, right, 3, grid, &requests[3]);
    MPI_Isend(&now[block * pitch + 1], block, MPI_DOUBLE, down, 0, grid, &requests[4]);
    MPI_Isend(&now[pitch + 1], block, MPI_DOUBLE, up, 1, grid, &requests[5]);
    MPI_Isend(out + block, block, MPI_DOUBLE, right, 2, grid, &requests[6]);
    MPI_Isend(out, block, MPI_DOUBLE, left, 3, grid, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < block; ++i) {
      now[(i + 1) * pitch] = in[i];
      now[(i + 1) * pitch + block + 1] = in[block + i];
    }
    double change = 0;
    if (work)
      for (int y = 1; y <= block; ++y)
        for (int x = 1; x <= block; ++x) {
          const double* at = &now[y * pitch + x];
          const double value = 0.25 * (at[-1] + at[1] + at[-pitch] + at[pitch]);
          next[y * pitch + x] = value;
          change += fabs(value - at[0]);
        }
    MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
    double* const swap = now;
    now = next;
    next = swap;
  }
  const double took = MPI_Wtime() - begin;
  if (rank == 0) printf("%d ranks, block %d: %.2f us a step (change %g)\n", size, block, 1e6 * took / steps, sum);
  MPI_Finalize();
  return 0;
}
