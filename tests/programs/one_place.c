/* SPDX-License-Identifier: BSD-3-Clause */
/* STEPS: short and long work in turn, between readings of the clock that come from one place. */
#include "processor_time.h"
#include <mpi.h>
#include <stdlib.h>

static double last;

__attribute__((noinline)) static void stamp(void) { last = MPI_Wtime(); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int step = 0, steps = argc > 1 ? atoi(argv[1]) : 100; step < steps; ++step) {
    compute_for(10);
    stamp();
    compute_for(300);
    stamp();
    compute_for(300);
    stamp();
  }
  MPI_Finalize();
  return 0;
}
