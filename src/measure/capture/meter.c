/* SPDX-License-Identifier: BSD-3-Clause
 * How long the program computed between two calls, in processor time of its thread: other processes that had the core
 * meanwhile do not count. Asking for that time is a system call, of a microsecond on virtual machines, so it is asked
 * for only after stretches that were long enough for it not to matter. In a short stretch the wall clock says the same:
 * nobody is taken off a core and put back within it. */
#include <time.h>

#include "capture.h"

/* Asking may take this share of the time at most. */
enum { share = 128, least_long_ns = 20000 };

static int64_t long_ns; /* stretches from here on are long */

/* Each thread has its own. `read_ns` is the processor time when it was last asked for, `since_ns` the sum of short
 * stretches since then, of the program's and of calls. */
static __thread struct {
  int running;
  int64_t left_ns, read_ns, since_ns;
} meter __attribute__((tls_model("initial-exec")));

static void ask(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  meter.read_ns = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  meter.since_ns = 0;
}

void orrery_meter_start(void) {
  enum { times = 16 };
  const int64_t begin = orrery_now_ns();
  for (int i = 0; i < times; ++i) ask();
  long_ns = (orrery_now_ns() - begin) / times * share;
  if (long_ns < least_long_ns) long_ns = least_long_ns;
}

double orrery_meter_call(int64_t begin_ns) {
  if (!meter.running) { /* the first call of a thread: nothing is known of what it did before */
    meter.running = 1;
    ask();
    return 0;
  }
  const int64_t gap_ns = begin_ns - meter.left_ns;
  if (gap_ns < long_ns) {
    meter.since_ns += gap_ns;
    return (double)(gap_ns > 0 ? gap_ns : 0) * 1e-9;
  }
  const int64_t before_ns = meter.read_ns + meter.since_ns;
  ask();
  int64_t computed_ns = meter.read_ns - before_ns;
  if (computed_ns < 0) computed_ns = 0;
  return (double)(computed_ns < gap_ns ? computed_ns : gap_ns) * 1e-9;
}

void orrery_meter_resume(int64_t begin_ns) {
  meter.left_ns = orrery_now_ns();
  if (meter.left_ns - begin_ns < long_ns) {
    meter.since_ns += meter.left_ns - begin_ns;
  } else {
    ask();
    meter.left_ns = orrery_now_ns();
  }
}
