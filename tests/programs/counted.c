/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of routines that send nothing, counted by the program itself. Prints, for each rank, how many there were. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void exchange(int to, int from) {
  double out = rank, in = 0;
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, to, 7, &in, 1, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* exchange */
}

int main(int argc, char** argv) {
  const int many = argc > 1 ? atoi(argv[1]) : 1000;
  int bytes = 0, again = 0, dims[1], periods[1] = {1}, coords[1], left = 0, right = 0;
  MPI_Comm line;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  dims[0] = size;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
  for (int i = 0; i < many * (rank + 1); ++i) MPI_Comm_rank(MPI_COMM_WORLD, &again);
  MPI_Pcontrol(2);
  for (int i = 0; i < 10; ++i) {
    MPI_Cart_shift(line, 0, 1, &left, &right);
    exchange(right, left);
  }
  MPI_Pcontrol(0);
  MPI_Type_size(MPI_DOUBLE, &bytes);
  MPI_Cart_coords(line, rank, 1, coords);
  MPI_Barrier(line); /* barrier */
  MPI_Comm_free(&line);
  /* Init, Comm_rank, Comm_size, Cart_create, the loop, twice Pcontrol, ten shifts and exchanges, four more, Finalize. */
  printf("%d %d\n", rank, 4 + many * (rank + 1) + 2 + 20 + 4 + 1);
  MPI_Finalize();
  return 0;
}
