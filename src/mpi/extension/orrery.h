/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORRERY_H
#define ORRERY_H

/* What a program may say to Orrery beyond MPI, in C and C++. It may stay in the source: with another MPI, or in a
   process that is no rank, it does nothing, and nothing of Orrery is needed to link it.

   ORRERY_COMPUTE(seconds)   The rank has computed so many seconds of a processor of speed 1, without having done it. */

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

#ifdef __cplusplus
}
#endif

/* Computation that is declared instead of done. It is added to the processor time that the rank has really used since
   its last MPI call, and counts with --compute none too. The simulated time that it takes is SECONDS divided by the
   platform's `speed` of the rank's node, however --compute FACTOR scales what is measured. SECONDS is finite and not
   negative; the run ends otherwise. To be called where MPI may be called. */
#define ORRERY_COMPUTE(seconds) orrery_compute_(seconds)

#endif
