/* SPDX-License-Identifier: BSD-3-Clause
 *   compute rank=RANK bytes=B reps=R
 *
 * What a processor does alone: samples `kernel`, a fixed piece of arithmetic that is also timed on the machine that
 * simulates; `copy`, seconds per byte of memcpy; `reduce`, seconds per byte of MPI_Reduce_local on doubles. */
#include <string.h>

#include "bench.h"

enum { STEPS = 2000000 };

/* Dependent multiplications and additions: bound by the processor, not by its memory, nor improved by the compiler. */
static double arithmetic(void) {
  volatile double seed = 0.5;
  double x = seed;
  for (int i = 0; i < STEPS; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

void orrery_compute(const char* line) {
  const int bytes = (int)orrery_number(line, "bytes", 65536);
  if (orrery_rank != (int)orrery_number(line, "rank", 0)) return;
  char* from = orrery_buffer(0, bytes);
  char* to = orrery_buffer(1, bytes);
  memset(from, 0, (size_t)bytes);
  memset(to, 0, (size_t)bytes);
  volatile double sink = 0;
  for (int i = 0; i < (int)orrery_number(line, "reps", 5); ++i) {
    double begin = MPI_Wtime();
    sink = arithmetic();
    orrery_sample("kernel", orrery_rank, orrery_rank, 0, i, MPI_Wtime() - begin);
    begin = MPI_Wtime();
    for (int n = 0; n < 100; ++n) {
      memcpy(to, from, (size_t)bytes);
      from[n % bytes] = to[(n + 1) % bytes];
    }
    orrery_sample("copy", orrery_rank, orrery_rank, bytes, i, (MPI_Wtime() - begin) / 100 / bytes);
    begin = MPI_Wtime();
    for (int n = 0; n < 100; ++n) MPI_Reduce_local(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM);
    orrery_sample("reduce", orrery_rank, orrery_rank, bytes, i, (MPI_Wtime() - begin) / 100 / bytes);
  }
  (void)sink;
}
