/* SPDX-License-Identifier: BSD-3-Clause
 *   noise window_us=US
 *
 * What interrupts computation: all ranks do the same short work again and again for the window. A piece of work that
 * took clearly longer than the quickest was interrupted, by the difference. Samples, for each rank: `window`, its
 * seconds; `interruptions`, how many there were, and `interrupted`, their seconds together, both for each length of
 * interruptions: `bytes` is the lower end in nanoseconds, each four times the one before. None where work takes no time,
 * as on simulated clusters without computation. */
#include "bench.h"

/* A piece of work takes about a microsecond. */
enum { STEP = 500, TRIALS = 1000, LENGTHS = 12, SHORTEST_NS = 500, FACTOR = 4 };
static const double least_step_s = 1e-7;

static int length_of(double seconds) {
  double end_s = SHORTEST_NS * 1e-9 * FACTOR;
  int length = 0;
  for (; length < LENGTHS - 1 && seconds >= end_s; ++length) end_s *= FACTOR;
  return length;
}

void orrery_noise(const char* line) {
  const double window_s = (double)orrery_number(line, "window_us", 1000000) * 1e-6;
  double sums[LENGTHS] = {0};
  long long counts[LENGTHS] = {0};
  volatile double sink = 0.5;
  MPI_Barrier(MPI_COMM_WORLD);
  const double usual = orrery_quickest_work(STEP, TRIALS), begin = MPI_Wtime();
  if (usual < least_step_s) return;
  double last = begin;
  while (last - begin < window_s) {
    sink = orrery_work(sink, STEP);
    const double now = MPI_Wtime(), more = now - last - usual;
    if (more >= SHORTEST_NS * 1e-9) {
      const int length = length_of(more);
      ++counts[length];
      sums[length] += more;
    }
    last = now;
  }
  orrery_sample("window", orrery_rank, orrery_rank, 0, 0, last - begin);
  long long from_ns = SHORTEST_NS;
  for (int length = 0; length < LENGTHS; ++length, from_ns *= FACTOR) {
    if (counts[length] == 0) continue;
    orrery_sample("interruptions", orrery_rank, orrery_rank, from_ns, 0, (double)counts[length]);
    orrery_sample("interrupted", orrery_rank, orrery_rank, from_ns, 0, sums[length]);
  }
}
