/* SPDX-License-Identifier: BSD-3-Clause
 *   slice window_us=US
 *
 * How long a rank computes before the system gives its processor to another, where ranks share processors: all ranks compute
 * for the window. Samples `slice`: seconds from one interruption of a rank to the next; none where computation takes no time, as
 * on simulated clusters without it. */
#include "bench.h"

/* A step takes some 10 us. A rank that lost its processor is seen by a step that took far longer; interrupts and a lost
 * cache take less. */
enum { STEP = 5000, MOST_SAMPLES = 64 };
static const double interrupted_s = 5e-4;
static const double least_step_s = 1e-6;

void orrery_slice(const char* line) {
  const double window_s = (double)orrery_number(line, "window_us", 400000) * 1e-6;
  volatile double sink = 0.5;
  MPI_Barrier(MPI_COMM_WORLD);
  double last = MPI_Wtime(), since = 0;
  const double until = last + window_s;
  int samples = 0;
  while (last < until && samples < MOST_SAMPLES) {
    sink = orrery_work(sink, STEP);
    const double now = MPI_Wtime();
    if (now - last < least_step_s) return;
    if (now - last > interrupted_s) {
      if (since > 0) orrery_sample("slice", orrery_rank, orrery_rank, 0, samples++, last - since);
      since = now;
    }
    last = now;
  }
}
