/* SPDX-License-Identifier: BSD-3-Clause
 *   steal rank=RANK window_us=US pauses=N pause_us=US
 *
 * What is taken from a rank by a hypervisor, or by what else runs on its node: RANK, or all ranks at once (-1), do the
 * same work again and again for the window, then pause N times; other ranks sleep. Samples: `window`, its seconds;
 * `stolen`, by how many a piece of work took longer than the quickest, where that is more than interrupts and lost
 * caches explain; `late`, by how many a pause was longer than asked for. None where work takes no time, as on simulated
 * clusters without computation. */
#include "bench.h"

/* A piece of work takes some 10 us. */
enum { STEP = 5000, TRIALS = 100, MOST_SAMPLES = 4096 };
static const double stolen_s = 5e-5;
static const double least_step_s = 1e-6;
static const double margin_s = 0.02;

static double seconds_of[MOST_SAMPLES];

static void work(double window_s) {
  volatile double sink = 0.5;
  const double usual = orrery_quickest_work(STEP, TRIALS), begin = MPI_Wtime();
  if (usual < least_step_s) return;
  double last = begin;
  int count = 0;
  while (last - begin < window_s && count < MOST_SAMPLES) {
    sink = orrery_work(sink, STEP);
    const double now = MPI_Wtime();
    if (now - last > usual + stolen_s) seconds_of[count++] = now - last - usual;
    last = now;
  }
  orrery_sample("window", orrery_rank, orrery_rank, 0, 0, last - begin);
  for (int i = 0; i < count; ++i) orrery_sample("stolen", orrery_rank, orrery_rank, 0, i, seconds_of[i]);
}

static void pauses(int count, double pause_s) {
  for (int i = 0; i < count; ++i) {
    const double until = MPI_Wtime() + pause_s;
    orrery_sleep_until(until);
    orrery_sample("late", orrery_rank, orrery_rank, 0, i, MPI_Wtime() - until);
  }
}

void orrery_steal(const char* line) {
  const double window_s = (double)orrery_number(line, "window_us", 500000) * 1e-6;
  const double pause_s = (double)orrery_number(line, "pause_us", 2000) * 1e-6;
  const int rank = (int)orrery_number(line, "rank", -1), count = (int)orrery_number(line, "pauses", 50);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  orrery_sleep_until(begin + margin_s);
  if (rank < 0 || rank == orrery_rank) {
    work(window_s);
    pauses(count, pause_s);
  }
  orrery_sleep_until(begin + 2 * margin_s + window_s + count * 1.5 * pause_s);
}
