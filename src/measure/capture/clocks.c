/* SPDX-License-Identifier: BSD-3-Clause
 * Clocks of hosts differ. One rank of each host compares its own with that of world rank 0: of many questions and
 * answers, the one with the shortest round trip tells best what the other clock shows. */
#include "capture.h"

enum { rounds = 64, tag = 77 };

static int64_t ask(MPI_Comm leaders) {
  int64_t shortest = INT64_MAX, offset = 0;
  for (int i = 0; i < rounds; ++i) {
    int64_t theirs = 0;
    const int64_t asked = orrery_now_ns();
    PMPI_Sendrecv(&theirs, 1, MPI_INT64_T, 0, tag, &theirs, 1, MPI_INT64_T, 0, tag, leaders, MPI_STATUS_IGNORE);
    const int64_t trip = orrery_now_ns() - asked;
    if (trip >= shortest) continue;
    shortest = trip;
    offset = theirs - asked - trip / 2;
  }
  return offset;
}

static void answer(MPI_Comm leaders, int rank) {
  for (int i = 0; i < rounds; ++i) {
    int64_t now = 0;
    PMPI_Recv(&now, 1, MPI_INT64_T, rank, tag, leaders, MPI_STATUS_IGNORE);
    now = orrery_now_ns();
    PMPI_Send(&now, 1, MPI_INT64_T, rank, tag, leaders);
  }
}

int64_t orrery_clock_offset(void) {
  MPI_Comm host, leaders;
  int world_rank = 0, rank = 0, size = 0;
  int64_t offset = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &host);
  PMPI_Comm_rank(host, &rank);
  PMPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, world_rank, &leaders);
  if (leaders != MPI_COMM_NULL) {
    PMPI_Comm_rank(leaders, &rank);
    PMPI_Comm_size(leaders, &size);
    for (int other = 1; other < size; ++other) {
      if (rank == 0) answer(leaders, other);
      if (rank == other) offset = ask(leaders);
    }
    PMPI_Comm_free(&leaders);
  }
  PMPI_Bcast(&offset, 1, MPI_INT64_T, 0, host);
  PMPI_Comm_free(&host);
  return offset;
}
