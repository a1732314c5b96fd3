/* SPDX-License-Identifier: BSD-3-Clause
 * Work that takes the same time whenever nothing disturbs it. */
#include "bench.h"

double orrery_work(double x, int steps) {
  for (int i = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

double orrery_quickest_work(int steps, int trials) {
  volatile double sink = 0.5;
  double least = 1;
  for (int i = 0; i < trials; ++i) {
    const double begin = MPI_Wtime();
    sink = orrery_work(sink, steps);
    const double took = MPI_Wtime() - begin;
    if (took < least) least = took;
  }
  return least;
}
