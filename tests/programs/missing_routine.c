/* SPDX-License-Identifier: BSD-3-Clause
 * Calls a routine that Orrery does not have yet. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  char memory[4];
  MPI_Init(&argc, &argv);
  MPI_T_event_copy(NULL, memory);
  puts("unreachable");
  MPI_Finalize();
  return 0;
}
