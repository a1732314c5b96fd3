/* SPDX-License-Identifier: BSD-3-Clause
 * Each rank writes as many bytes as the argument says to its own part of the file "bulk", and prints how long that took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_File file;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = atoi(argv[1]);
  char *data = calloc(1, (size_t)bytes);
  MPI_File_open(MPI_COMM_WORLD, "bulk", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  MPI_File_write_at_all(file, (MPI_Offset)rank * bytes, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  printf("%.9f\n", MPI_Wtime() - begin);
  MPI_File_close(&file);
  MPI_Finalize();
  free(data);
  return 0;
}
