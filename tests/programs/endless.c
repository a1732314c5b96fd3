/* SPDX-License-Identifier: BSD-3-Clause
 * `endless MARK`: never ends; the mark is there once all ranks have spoken to each other. */
#include <mpi.h>

#include "mark.h"

int main(int argc, char **argv) {
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long round = 0;; ++round) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (round == 100 && rank == 0) mark(argv[1]);
  }
}
