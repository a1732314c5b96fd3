/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "suite.h"

void set_up(struct loop* loop, int largest) {
  MPI_Comm_rank(MPI_COMM_WORLD, &loop->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &loop->size);
  loop->send = calloc((size_t)loop->size, (size_t)largest + 8);
  loop->receive = calloc((size_t)loop->size, (size_t)largest + 8);
  loop->counts = calloc((size_t)loop->size, sizeof *loop->counts);
  loop->places = calloc((size_t)loop->size, sizeof *loop->places);
  if (!loop->send || !loop->receive || !loop->counts || !loop->places) MPI_Abort(MPI_COMM_WORLD, 3);
}

int cut_size(char* wanted) {
  char* const colon = strchr(wanted, ':');
  if (!colon) return 0;
  *colon = 0;
  return atoi(colon + 1);
}
