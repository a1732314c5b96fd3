/* SPDX-License-Identifier: BSD-3-Clause
 * Each rank sleeps as many milliseconds as its argument says, then writes its number at the shared pointer of the file
 * "order". */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_File file;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, "order", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  usleep(1000 * atoi(argv[1 + rank]));
  char digit = (char)('0' + rank);
  MPI_File_write_shared(file, &digit, 1, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
