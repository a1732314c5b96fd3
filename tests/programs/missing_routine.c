/* SPDX-License-Identifier: BSD-3-Clause
 * Calls a routine that Orrery does not have yet. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int memory[4];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  puts("unreachable");
  MPI_Finalize();
  return 0;
}
