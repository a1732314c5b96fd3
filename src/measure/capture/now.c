/* SPDX-License-Identifier: BSD-3-Clause
 * The time. Each call of the program asks three times, and the system's clock takes 25 to 40 ns for an answer, most of
 * what a call would cost. Where the system keeps its time by the processor's counter (x86, clock source "tsc"), so do
 * we: the counter takes a third of that. It is held against the system's clock every millisecond, so that both say the
 * same to some tens of nanoseconds, however long the run is and whatever sets the clock's rate meanwhile. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "capture.h"

static int64_t system_now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#if defined(__x86_64__) && defined(__GNUC__)

enum { apart_ns = 1000000 };

/* What both said at the same moment. */
typedef struct moment {
  uint64_t ticks;
  int64_t ns;
} moment;

static moment start;         /* of the library; ticks 0: the counter is not to be used */
static double rate;          /* ns per tick, as it was in MPI_Init */
static uint64_t apart_ticks; /* as many as `apart_ns` has */

static __thread struct {
  moment last;
  double rate;
} known __attribute__((tls_model("initial-exec")));

static uint64_t ticks_now(void) { return __builtin_ia32_rdtsc(); }

/* Of several tries the one that nothing came between. */
static moment moment_now(void) {
  moment best = {0, 0};
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = ticks_now();
    const int64_t ns = system_now_ns();
    const uint64_t took = ticks_now() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = (moment){before + took / 2, ns};
  }
  return best;
}

static int counter_is_the_clock(void) {
  char name[16] = "";
  FILE* file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
  if (file == NULL) return 0;
  const int read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  return read && strcmp(name, "tsc\n") == 0;
}

/* Until MPI_Init is over, milliseconds pass: enough to know the rate by. */
__attribute__((constructor)) static void load(void) {
  if (counter_is_the_clock()) start = moment_now();
}

void orrery_now_start(void) {
  const moment now = moment_now();
  if (start.ticks == 0 || now.ns - start.ns < apart_ns) return;
  rate = (double)(now.ns - start.ns) / (double)(now.ticks - start.ticks);
  apart_ticks = (uint64_t)(apart_ns / rate);
}

/* A thread asks for the first time, or after a millisecond. */
static __attribute__((noinline)) int64_t ask_both(void) {
  const moment now = moment_now();
  const int64_t passed_ns = now.ns - known.last.ns;
  const int known_before = known.last.ticks != 0 && now.ticks > known.last.ticks && passed_ns >= apart_ns / 2;
  known.rate = known_before ? (double)passed_ns / (double)(now.ticks - known.last.ticks) : rate;
  known.last = now;
  return now.ns;
}

int64_t orrery_now_ns(void) {
  if (apart_ticks == 0) return system_now_ns();
  const uint64_t passed = ticks_now() - known.last.ticks;
  if (passed >= apart_ticks) return ask_both();
  return known.last.ns + (int64_t)((double)passed * known.rate);
}

#else

void orrery_now_start(void) {}
int64_t orrery_now_ns(void) { return system_now_ns(); }

#endif
