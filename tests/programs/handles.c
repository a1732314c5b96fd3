/* SPDX-License-Identifier: BSD-3-Clause
 * `handles MARK [NUMBER...]`: ranks have a handler for signals of these numbers; the mark is there when all have. A rank
 * computes until it gets one, says which, and all finalise. With NUMBER 0 the handler leaves at once, with status 3. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mark.h"

static volatile sig_atomic_t got;
static int leaves;

static void handle(int number) {
  got = number;
  if (leaves) _exit(3);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 2; i < argc; ++i) {
    if (atoi(argv[i]) == 0) leaves = 1;
    else signal(atoi(argv[i]), handle);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) mark(argv[1]);
  for (volatile double z = 0; got == 0;) z = z + 1;
  printf("rank %d got %d\n", rank, (int)got);
  MPI_Finalize();
  return 0;
}
