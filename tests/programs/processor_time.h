// SPDX-License-Identifier: BSD-3-Clause
/* Work that is stated in time of the processor: it takes as long on each host, however busy, and with caches warm or cold. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Processor time of this thread, from the kernel itself: a simulated rank's `clock_gettime` says simulated time. */
static double processor_us(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void compute_for(double microseconds) {
  const double end = processor_us() + microseconds;
  while (processor_us() < end) continue;
}
