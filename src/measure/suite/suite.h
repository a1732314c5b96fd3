/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of calls on a real MPI, for `orrery benchmark`. Plain MPI-2, C99. */
#ifndef ORRERY_SUITE_H
#define ORRERY_SUITE_H

#include <mpi.h>

/* Messages under way at once where bandwidth and rate are measured; as orrery.collective.loops has it. */
enum { WINDOW = 64, ANSWER_BYTES = 4 };

/* What a turn of a loop needs; buffers are large enough for any call. */
struct loop {
  const char* test;
  int bytes, rank, size;
  char *send, *receive;
  int *counts, *places; /* of calls with counts: all blocks alike */
};

/* Bytes of "bcast:1024", which is cut at the colon. */
int cut_size(char* wanted);

/* Rank, size, and buffers for calls of so many bytes at most. */
void set_up(struct loop* loop, int largest);

/* One turn between ranks 0 and 1, or of pairs of ranks; other ranks do nothing. Gives 0 for a test of another kind. */
int pair_turn(const struct loop* loop);

/* One collective. Gives 0 for an unknown name. */
int collective_call(const struct loop* loop);

/* The same and a barrier. Gives 0 for an unknown name. */
int collective_turn(const struct loop* loop);

#endif
