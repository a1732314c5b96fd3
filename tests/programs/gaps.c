/* SPDX-License-Identifier: BSD-3-Clause
 * Allgathers 32,768 numbers of each rank, one every 64 bytes: blocking, then not. */
#include <mpi.h>
#include <stdlib.h>

enum { numbers = 32768, extent = 64, most_ranks = 8 };

int main(int argc, char** argv) {
  int size, counts[most_ranks], places[most_ranks];
  MPI_Datatype spread;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < size; ++i) {
    counts[i] = numbers;
    places[i] = i * numbers;
  }
  MPI_Type_create_resized(MPI_DOUBLE, 0, extent, &spread);
  MPI_Type_commit(&spread);
  double* own = calloc(numbers, sizeof *own);
  char* all = calloc((size_t)size * numbers, extent);
  MPI_Allgatherv(own, numbers, MPI_DOUBLE, all, counts, places, spread, MPI_COMM_WORLD);
  MPI_Iallgatherv(own, numbers, MPI_DOUBLE, all, counts, places, spread, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&spread);
  free(own);
  free(all);
  MPI_Finalize();
  return 0;
}
