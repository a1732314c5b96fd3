/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORRERY_H
#define ORRERY_H

/* What a program may say to Orrery beyond MPI, in C and C++. It may stay in the source: with another MPI, or in a
   process that is no rank, it does nothing, and nothing of Orrery is needed to link it.

   ORRERY_COMPUTE(seconds)           The rank has computed for so long, without having done it.
   ORRERY_SAMPLE_LOCAL(n) { ... }    Each rank executes the block n times; then it is skipped, and its mean time counts.
   ORRERY_SAMPLE_GLOBAL(n) { ... }   All ranks together execute it n times.
   ORRERY_SHARED_MALLOC(bytes)       Memory that all ranks share: as large as asked for, and next to nothing of it.
   ORRERY_SHARED_FREE(p)             Gives it back. */

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The function `name` of the MPI library that is loaded, or null. It is looked up when the program runs, as one that
   was linked with another MPI may run with Orrery's. */
extern void *orrery_dlsym_(void *handle, const char *name) __asm__("dlsym") __attribute__((weak));

static __inline__ void *orrery_function_(void **known, const char *name) {
  void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (function == (void *)0) {
    function = orrery_dlsym_ ? orrery_dlsym_((void *)0, name) : (void *)0;
    if (function == (void *)0) function = (void *)known; /* stands for "there is none" */
    __atomic_store_n(known, function, __ATOMIC_RELAXED);
  }
  return function == (void *)known ? (void *)0 : function;
}

static __inline__ void orrery_compute_(double seconds) {
  static void *known;
  union {
    void *found;
    void (*function)(double);
  } it;
  it.found = orrery_function_(&known, "orrery_compute");
  if (it.found) it.function(seconds);
}

static __inline__ int orrery_sample_begin_(int global, const char *file, int line, long executions, double precision) {
  static void *known;
  union {
    void *found;
    int (*function)(int, const char *, int, long, double);
  } it;
  it.found = orrery_function_(&known, "orrery_sample_begin");
  return it.found ? it.function(global, file, line, executions, precision) : 1;
}

static __inline__ int orrery_sample_end_(void) {
  static void *known;
  union {
    void *found;
    void (*function)(void);
  } it;
  it.found = orrery_function_(&known, "orrery_sample_end");
  if (it.found) it.function();
  return 0;
}

static __inline__ void *orrery_shared_malloc_(size_t bytes, const char *file, int line) {
  static void *known;
  union {
    void *found;
    void *(*function)(size_t, const char *, int);
  } it;
  it.found = orrery_function_(&known, "orrery_shared_malloc");
  return it.found ? it.function(bytes, file, line) : malloc(bytes);
}

static __inline__ void orrery_shared_free_(void *first) {
  static void *known;
  union {
    void *found;
    void (*function)(void *);
  } it;
  it.found = orrery_function_(&known, "orrery_shared_free");
  if (it.found) {
    it.function(first);
  } else {
    free(first);
  }
}

#ifdef __cplusplus
}
#endif

/* Computation that is declared instead of done. It is added to the processor time that the rank has really used since
   its last MPI call, and counts with --compute none too. The simulated time that it takes is SECONDS divided by the
   platform's `speed` of the rank's node, however --compute FACTOR scales what is measured. SECONDS is finite and not
   negative; the run ends otherwise. To be called where MPI may be called. */
#define ORRERY_COMPUTE(seconds) orrery_compute_(seconds)

/* A block that is executed N times, and skipped from then on: the mean of the times that it took counts instead. With a
   PRECISION as second argument it is executed until, besides, the interval of its mean (95 % confidence) reaches no
   further from the mean than this part of it: ORRERY_SAMPLE_LOCAL(5, 0.01) { ... }. Of the local form each rank has its
   own sample, of the global one all ranks have one in common. What the block computes is missing once it is skipped: no
   call of MPI may be in it, no control flow may depend on it, and it is left by its end (or `continue`) alone. */
#define ORRERY_SAMPLE_LOCAL(...) ORRERY_SAMPLE_(0, __VA_ARGS__, 0.0, 0.0)
#define ORRERY_SAMPLE_GLOBAL(...) ORRERY_SAMPLE_(1, __VA_ARGS__, 0.0, 0.0)
#define ORRERY_SAMPLE_(global, executions, precision, ...)                                                         \
  for (int orrery_executes_ = orrery_sample_begin_(global, __FILE__, __LINE__, executions, precision);             \
       orrery_executes_; orrery_executes_ = orrery_sample_end_())

/* Memory as malloc gives it, and null where there is no room; to be given back by ORRERY_SHARED_FREE, and by nothing else.
   In a run of Orrery a block of 2 MiB stands for all of it, again and again, and all ranks have the same block: what one
   rank writes is overwritten by others. So it may hold what nothing depends on: neither control flow, nor the number,
   size or partner of messages, nor an index or a pointer. Another place in the source has another block. Elsewhere, before
   MPI_Init, and with --whole it is memory of the process's own. */
#define ORRERY_SHARED_MALLOC(bytes) orrery_shared_malloc_(bytes, __FILE__, __LINE__)
#define ORRERY_SHARED_FREE(p) orrery_shared_free_(p)

#endif
