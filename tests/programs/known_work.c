// SPDX-License-Identifier: BSD-3-Clause
/* KIND STEPS [FACTOR [MICROSECONDS]]: work that is known for each rank and step, and an allreduce. A unit of it goes over 256 KiB
 * of the rank's own, or takes so many microseconds of the processor, whatever the host. */
#include "processor_time.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { points = 32768, sweeps = 4 };

static double work(double* at, double units) {
  double sum = 0;
  for (long i = 0, n = (long)(units * points * sweeps); i < n; ++i) {
    at[i % points] = at[i % points] * 0.999 + 1e-3;
    sum += at[i % points];
  }
  return sum;
}

static double units_of(const char* kind, double factor, int rank, int size, int step, int steps) {
  if (!strcmp(kind, "slow")) return rank == size / 3 ? factor : 1;
  if (!strcmp(kind, "groups")) return rank % 2 ? factor : 1;
  if (!strcmp(kind, "triangular")) return 2.0 * (rank + 1) / size;
  if (!strcmp(kind, "alternating")) return (step + rank) % 2 ? 1.5 : 0.5;
  if (!strcmp(kind, "tenth")) return step % 10 == 9 ? 10 : 1;
  if (!strcmp(kind, "doubling")) return step < steps / 2 ? 1 : 2;
  if (!strcmp(kind, "drifting")) return 1 + 1.0 * step / steps;
  if (!strcmp(kind, "drawn")) return 0.5 + (unsigned)((rank * 7919 + step) * 2654435761U) / 4294967296.0;
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* kind = argc > 1 ? argv[1] : "equal";
  const int steps = argc > 2 ? atoi(argv[2]) : 200;
  const double factor = argc > 3 ? atof(argv[3]) : 2;
  const double unit_us = argc > 4 ? atof(argv[4]) : 0;
  double* at = calloc(points, sizeof *at);
  double sum = 0, longest = 0, all;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    const double units = units_of(kind, factor, rank, size, step, steps);
    if (unit_us > 0)
      compute_for(units * unit_us);
    else
      sum += work(at, units);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const double step_us = (MPI_Wtime() - begin) / steps * 1e6;
  for (int step = 0; step < steps; ++step) {
    double most = 0;
    for (int other = 0; other < size; ++other) {
      const double units = units_of(kind, factor, other, size, step, steps);
      if (units > most) most = units;
    }
    longest += most;
  }
  if (rank == 0) printf("%s: %.1f us a step, of %.3f units (%g)\n", kind, step_us, longest / steps, all);
  free(at);
  MPI_Finalize();
  return 0;
}
