/* SPDX-License-Identifier: BSD-3-Clause
 *   nonblocking a=RANK b=RANK reps=R
 *
 * How late a rank that waits sees the end of a non-blocking collective: samples `blocking` and `immediate`, the time of
 * a small allreduce of the two ranks, and of the same one started and waited for. */
#include "bench.h"

static double allreduce(MPI_Comm comm, int immediate) {
  const int mine = orrery_rank;
  int most = 0;
  MPI_Request request;
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  if (immediate) {
    MPI_Iallreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm);
  }
  return MPI_Wtime() - begin;
}

void orrery_nonblocking(const char* line) {
  const int a = (int)orrery_number(line, "a", 0), b = (int)orrery_number(line, "b", 1);
  const int in_it = orrery_rank == a || orrery_rank == b;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, in_it ? 0 : MPI_UNDEFINED, 0, &comm);
  if (!in_it) return;
  for (int i = -1; i < (int)orrery_number(line, "reps", 5); ++i) /* the first one warms up */
    for (int immediate = 0; immediate < 2; ++immediate) {
      const double time = allreduce(comm, immediate);
      if (i >= 0) orrery_sample(immediate ? "immediate" : "blocking", orrery_rank, orrery_rank, sizeof(int), i, time);
    }
  MPI_Comm_free(&comm);
}
