/* SPDX-License-Identifier: BSD-3-Clause
 *   foreign window_us=US
 *
 * What others do on the nodes: while all ranks sleep, the part of a node's processors that is busy. Sample `foreign`, 0 to 1,
 * of each rank; none where the kernel does not count (no /proc/stat), or counted too little to tell, as where the program's
 * clocks are simulated and sleep takes no time. */
#include <stdio.h>

#include "bench.h"

struct ticks {
  double busy, all;
};

/* Ranks come to the window, and leave it, at slightly different times: meanwhile the others may look at their clocks. */
static const double margin_s = 0.05;
static const double least_ticks = 10;

/* Ticks of all processors since the start of the node. What the host of a virtual machine took of it (steal) is busy. */
static struct ticks read_ticks(void) {
  struct ticks now = {0, 0};
  double user, nice, system, idle, wait, interrupts, soft, stolen;
  FILE* file = fopen("/proc/stat", "r");
  if (!file) return now;
  if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait, &interrupts, &soft,
             &stolen) == 8) {
    now.busy = user + nice + system + interrupts + soft + stolen;
    now.all = now.busy + idle + wait;
  }
  fclose(file);
  return now;
}

void orrery_foreign(const char* line) {
  const double window_s = (double)orrery_number(line, "window_us", 400000) * 1e-6;
  MPI_Barrier(MPI_COMM_WORLD);
  double until = MPI_Wtime() + margin_s;
  orrery_sleep_until(until);
  const struct ticks before = read_ticks();
  orrery_sleep_until(until += window_s);
  const struct ticks after = read_ticks();
  orrery_sleep_until(until + margin_s);
  const double all = after.all - before.all;
  if (all >= least_ticks) orrery_sample("foreign", orrery_rank, orrery_rank, 0, 0, (after.busy - before.busy) / all);
}
