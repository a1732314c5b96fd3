/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of collective calls on a real MPI, for `orrery validate`. Plain MPI-2, C99. */
#ifndef ORRERY_COLLECTIVE_TIMES_H
#define ORRERY_COLLECTIVE_TIMES_H

#include <mpi.h>

/* Buffers that are large enough for any call of `most` bytes. */
struct buffers {
  char *send, *receive;
};

/* One call of a collective by name; `bytes` as in `orrery collective`: the whole vector, or one rank's or pair's block.
 * Reductions are of doubles, or of floats where the bytes are no whole number of doubles. Gives 0 for an unknown name. */
int collective_call(const char *name, int bytes, const struct buffers *buffers, MPI_Comm comm);

/* Local durations of `repetitions` calls, each after a barrier, with their maximum over the ranks in `longest` of rank 0. */
void time_calls(const char *name, int bytes, const struct buffers *buffers, int repetitions, double *longest);

#endif
