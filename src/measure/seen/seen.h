/* SPDX-License-Identifier: BSD-3-Clause */
/* Which messages a real MPI sends, for `orrery tune`. Plain MPI-2, C99, GNU's dynamic linker. */
#ifndef ORRERY_SEEN_H
#define ORRERY_SEEN_H

#include <stddef.h>

/* What this rank has sent since `seen_begin` to each rank. */
struct sent {
  long long messages, bytes;
};

/* Collective; `destinations` and `visible` have a place for each rank. Messages to some ranks may not be seen, as those
 * that MPICH copies within a node. */
void seen_set_up(struct sent* destinations, int* visible, int rank, int size);
/* Zeroes them, and counts from now on, until `seen_end`. */
void seen_begin(void);
void seen_end(void);

/* A message on its way to a rank of MPI_COMM_WORLD. */
void seen_message(int destination, size_t bytes);

/* The next message through UCX goes to this rank, whose endpoint is not known yet; -1: no more. */
void ucx_expect(int destination);
#endif
