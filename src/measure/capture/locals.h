/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Calls that send and receive nothing, such as MPI_Comm_rank. Programs make millions of them, so they are no operations
 * of the trace: they are counted by routine and phase (orrery_trace_local), which takes some nanoseconds a call. Their
 * time is known from some of them: the first 16, then one in 64, and each after one that took longer than a
 * microsecond. Those between two are taken to be as long as the last short one. */

#include "capture.h"

typedef struct orrery_counter {
  uint64_t calls;
  uint64_t timed_at; /* number of the call that is timed next */
  uint64_t timed;    /* calls that `time_ns` is of */
  int64_t time_ns;
  int64_t usual_ns;
} orrery_counter;

typedef struct orrery_local {
  orrery_counter* counter;
  uint64_t number;  /* of the call */
  int64_t begin_ns; /* -1: it is not timed */
} orrery_local;

extern __thread int orrery_depth __attribute__((tls_model("initial-exec"))); /* of calls that are under way */
extern orrery_counter* orrery_counters; /* by routine, of the present phase; NULL: nothing is captured */
extern int orrery_threads;              /* several may call at once */

void orrery_local_timed(const orrery_local* local);

/* Whether the call is the program's own, and has been counted. */
static inline int orrery_local_begin(orrery_local* local, uint16_t routine) {
  orrery_counter* counters = orrery_counters;
  if (counters == NULL || orrery_depth > 0) return 0;
  orrery_depth = 1;
  orrery_counter* counter = &counters[routine];
  local->counter = counter;
  local->number = orrery_threads ? __atomic_fetch_add(&counter->calls, 1, __ATOMIC_RELAXED) : counter->calls++;
  local->begin_ns = local->number >= counter->timed_at ? orrery_now_ns() : -1;
  return 1;
}

static inline void orrery_local_end(const orrery_local* local) {
  if (local->begin_ns >= 0) orrery_local_timed(local);
  orrery_depth = 0;
}

/* Where the program is in its phases: calls count in the innermost. */
void orrery_locals_start(void);
void orrery_phase_begin(uint32_t phase);
int orrery_phase_end(void); /* 0: none has begun */
/* What MPI_Init or MPI_Finalize took: it lies outside of all operations. */
void orrery_locals_outside(uint16_t routine, int64_t ns);
void orrery_locals_stop(void);
void orrery_locals_write(uint32_t world_rank);
