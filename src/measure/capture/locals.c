/* SPDX-License-Identifier: BSD-3-Clause
 * Calls that send and receive nothing: how often, and for how long about. */
#include "locals.h"

#include <stdlib.h>

#include "calls.h"

enum { all_timed = 16, timed_apart = 64, long_ns = 1000 };

/* Counters of a phase; those of the program outside of phases come first. */
typedef struct phase {
  struct phase* next;
  uint32_t number;
  orrery_counter counters[ORRERY_ROUTINES];
  int64_t outside_ns[ORRERY_ROUTINES];
} phase;

orrery_counter* orrery_counters;
static phase* phases;
static phase** open; /* that have begun and not ended, the innermost last */
static size_t open_count, open_capacity;
static int64_t clock_ns; /* what asking for the time takes */

static phase* phase_of(uint32_t number) {
  phase** at = &phases;
  for (; *at != NULL; at = &(*at)->next) {
    if ((*at)->number == number) return *at;
  }
  *at = (phase*)calloc(1, sizeof(phase));
  if (*at != NULL) (*at)->number = number;
  return *at;
}

static void count_in(phase* of) { orrery_counters = of == NULL ? NULL : of->counters; }

void orrery_locals_start(void) {
  clock_ns = INT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const int64_t begin_ns = orrery_now_ns();
    const int64_t took_ns = orrery_now_ns() - begin_ns;
    if (took_ns < clock_ns) clock_ns = took_ns;
  }
  count_in(phase_of(0));
}

void orrery_phase_begin(uint32_t number) {
  if (open_count == open_capacity) {
    const size_t more = open_capacity == 0 ? 8 : 2 * open_capacity;
    phase** grown = (phase**)realloc(open, more * sizeof *open);
    if (grown == NULL) abort();
    open = grown;
    open_capacity = more;
  }
  open[open_count++] = phase_of(number);
  count_in(open[open_count - 1]);
}

int orrery_phase_end(void) {
  if (open_count == 0) return 0;
  --open_count;
  count_in(open_count > 0 ? open[open_count - 1] : phase_of(0));
  return 1;
}

static void add_time(orrery_counter* counter, uint64_t number, int64_t took_ns) {
  if (number < counter->timed) return; /* another thread was faster */
  const int is_long = took_ns > long_ns;
  const uint64_t before = number - counter->timed;
  if (!is_long || counter->usual_ns == 0) counter->usual_ns = took_ns;
  counter->time_ns += (int64_t)before * counter->usual_ns + took_ns;
  counter->timed = number + 1;
  counter->timed_at = number + (is_long || number + 1 < all_timed ? 1 : timed_apart);
}

__attribute__((cold)) void orrery_local_timed(const orrery_local* local) {
  const int64_t took_ns = orrery_now_ns() - local->begin_ns - clock_ns;
  orrery_lock();
  add_time(local->counter, local->number, took_ns > 0 ? took_ns : 0);
  orrery_unlock();
}

void orrery_locals_outside(uint16_t routine, int64_t ns) {
  phase* of = open_count > 0 ? open[open_count - 1] : phase_of(0);
  if (of != NULL) of->outside_ns[routine] += ns;
}

void orrery_locals_stop(void) { orrery_counters = NULL; }

static void write_phase(const phase* of, uint32_t world_rank) {
  orrery_trace_local_calls all[2 * ORRERY_ROUTINES];
  uint32_t count = 0;
  for (uint32_t routine = 0; routine < ORRERY_ROUTINES; ++routine) {
    const orrery_counter* counter = &of->counters[routine];
    const int64_t rest_ns = (int64_t)(counter->calls - counter->timed) * counter->usual_ns;
    if (counter->calls > 0) {
      all[count++] =
          (orrery_trace_local_calls){of->number, routine, counter->calls, (uint64_t)(counter->time_ns + rest_ns)};
    }
    if (of->outside_ns[routine] > 0)
      all[count++] = (orrery_trace_local_calls){of->number, routine, 0, (uint64_t)of->outside_ns[routine]};
  }
  if (count > 0) orrery_trace_local(orrery_writer, world_rank, all, count);
}

void orrery_locals_write(uint32_t world_rank) {
  for (const phase* of = phases; of != NULL; of = of->next) write_phase(of, world_rank);
}
