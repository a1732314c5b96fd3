/* SPDX-License-Identifier: BSD-3-Clause
 * Calls a routine that Orrery does not have yet. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Session_flush_buffer(MPI_SESSION_NULL);
  puts("unreachable");
  MPI_Finalize();
  return 0;
}
