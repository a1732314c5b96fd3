/* SPDX-License-Identifier: BSD-3-Clause */
/* STEPS: short and long work in turn, between readings of the clock that come from one place. */
#include <mpi.h>
#include <stdlib.h>

static volatile double sum;
static double last;

static void work(int units) {
  for (int i = 0; i < 1000 * units; ++i) sum += i * 1e-3;
}

__attribute__((noinline)) static void stamp(void) { last = MPI_Wtime(); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int step = 0, steps = argc > 1 ? atoi(argv[1]) : 100; step < steps; ++step) {
    work(10);
    stamp();
    work(300);
    stamp();
    work(300);
    stamp();
  }
  MPI_Finalize();
  return 0;
}
