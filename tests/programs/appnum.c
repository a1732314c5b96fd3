// SPDX-License-Identifier: BSD-3-Clause
// Says which rank of which program it is, and its arguments.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, found, *program;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
  char line[256];
  int length = snprintf(line, sizeof line, "rank %d of %d, program %d, arguments", rank, size, found ? *program : -1);
  for (int i = 1; i < argc; ++i) length += snprintf(line + length, sizeof line - (size_t)length, " %s", argv[i]);
  puts(line);
  MPI_Finalize();
  return 0;
}
