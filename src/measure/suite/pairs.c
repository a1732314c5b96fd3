/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "suite.h"

static void ping_pong(const struct loop* l) {
  if (l->rank == 0) {
    MPI_Send(l->send, l->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(l->receive, l->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (l->rank == 1) {
    MPI_Recv(l->receive, l->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(l->send, l->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

/* The first `pairs` ranks send a window each to the rank that is so many further, which then answers. */
static void one_way(const struct loop* l, int pairs) {
  MPI_Request requests[WINDOW];
  int i;
  if (l->rank < pairs) {
    const int peer = l->rank + pairs;
    for (i = 0; i < WINDOW; i++) MPI_Isend(l->send, l->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, requests + i);
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(l->receive, ANSWER_BYTES, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (l->rank < 2 * pairs) {
    const int peer = l->rank - pairs;
    for (i = 0; i < WINDOW; i++) MPI_Irecv(l->receive, l->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, requests + i);
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    MPI_Send(l->send, ANSWER_BYTES, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
  }
}

static void both_ways(const struct loop* l) {
  MPI_Request requests[2 * WINDOW];
  const int peer = 1 - l->rank;
  int i;
  if (l->rank > 1) return;
  for (i = 0; i < WINDOW; i++) MPI_Irecv(l->receive, l->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, requests + i);
  for (i = 0; i < WINDOW; i++) MPI_Isend(l->send, l->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, requests + WINDOW + i);
  MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
  if (l->rank == 0)
    MPI_Recv(l->receive, ANSWER_BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(l->send, ANSWER_BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

int pair_turn(const struct loop* l) {
  if (!strcmp(l->test, "latency"))
    ping_pong(l);
  else if (!strcmp(l->test, "one-way"))
    one_way(l, 1);
  else if (!strcmp(l->test, "both-ways"))
    both_ways(l);
  else if (!strcmp(l->test, "message-rate"))
    one_way(l, l->size / 2);
  else
    return 0;
  return 1;
}
