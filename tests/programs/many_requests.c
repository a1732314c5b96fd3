/* SPDX-License-Identifier: BSD-3-Clause
 * Thousands of receives outstanding, matched in the order in which they were posted or in the reverse one, and among
 * them some of any tag and any source. With an argument, how many; a ring of ranks. */
#include "check.h"

#include <stdlib.h>

static int rank, ranks, left, right;

enum Mode { InOrder, Reversed, Unexpected };

static void round_of(enum Mode mode, int receives) {
  int *got = malloc(sizeof *got * (size_t)receives), *sent = malloc(sizeof *sent * (size_t)receives);
  MPI_Request *requests = malloc(sizeof *requests * 2 * (size_t)receives);
  for (int i = 0; i < receives && mode != Unexpected; ++i) {
    MPI_Irecv(got + i, 1, MPI_INT, left, i, MPI_COMM_WORLD, requests + i);
  }
  for (int k = 0; k < receives; ++k) {
    const int i = mode == InOrder ? k : receives - 1 - k;
    sent[i] = i;
    MPI_Isend(sent + i, 1, MPI_INT, right, i, MPI_COMM_WORLD, requests + receives + i);
  }
  if (mode == Unexpected) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < receives; ++i) MPI_Irecv(got + i, 1, MPI_INT, left, i, MPI_COMM_WORLD, requests + i);
  }
  MPI_Waitall(2 * receives, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < receives; ++i) CHECK(got[i] == i);
  free(got);
  free(sent);
  free(requests);
}

/* Each tenth receive of the first half is of any tag. Messages come in the reverse order of their tags: the first ones
   meet receives of any tag, which stand in front of those of their own tags, and come again for these. */
static void with_any_tag(int receives) {
  const int wild = receives / 20, half = 10 * wild;
  int *got = malloc(sizeof *got * (size_t)receives);
  MPI_Request *requests = malloc(sizeof *requests * (size_t)receives);
  MPI_Status *statuses = malloc(sizeof *statuses * (size_t)receives);
  for (int i = 0; i < receives; ++i) {
    const int tag = i < half && i % 10 == 0 ? MPI_ANY_TAG : i;
    MPI_Irecv(got + i, 1, MPI_INT, left, tag, MPI_COMM_WORLD, requests + i);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = receives - 1; i >= 0; --i) MPI_Send(&i, 1, MPI_INT, right, i, MPI_COMM_WORLD);
  for (int i = receives - 1; i >= receives - wild; --i) MPI_Send(&i, 1, MPI_INT, right, i, MPI_COMM_WORLD);
  MPI_Waitall(receives, requests, statuses);
  for (int k = 0; k < wild; ++k) CHECK(got[10 * k] == receives - 1 - k && statuses[10 * k].MPI_TAG == receives - 1 - k);
  for (int i = 0; i < receives; ++i) CHECK((i < half && i % 10 == 0) || got[i] == i);
  for (int i = 0; i < half; i += 10) { /* what no receive has wanted */
    int value;
    MPI_Recv(&value, 1, MPI_INT, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == i);
  }
  free(got);
  free(requests);
  free(statuses);
}

int main(int argc, char **argv) {
  const int receives = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks;
  right = (rank + 1) % ranks;
  for (int mode = InOrder; mode <= Unexpected; ++mode) round_of((enum Mode)mode, receives);
  with_any_tag(receives);
  if (rank == 0) puts("all as they should be");
  MPI_Finalize();
  return 0;
}
