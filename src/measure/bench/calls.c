/* SPDX-License-Identifier: BSD-3-Clause
 *   calls rank=RANK reps=R count=N
 *
 * What polling costs: samples `wtime`, `test` (a receive that nobody serves) and `iprobe`, each the mean of N calls. */
#include "bench.h"

static void look(int kind, MPI_Request* request) {
  int flag = 0;
  if (kind == 0) (void)MPI_Wtime();
  if (kind == 1) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
  if (kind == 2) MPI_Iprobe(MPI_ANY_SOURCE, ORRERY_TAG + 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

void orrery_calls(const char* line) {
  static const char* const names[] = {"wtime", "test", "iprobe"};
  const int count = (int)orrery_number(line, "count", 200);
  if (orrery_rank != (int)orrery_number(line, "rank", 0)) return;
  char byte = 0;
  MPI_Request request;
  MPI_Irecv(&byte, 1, MPI_BYTE, orrery_rank, ORRERY_TAG + 4, MPI_COMM_WORLD, &request);
  for (int i = 0; i < (int)orrery_number(line, "reps", 5); ++i)
    for (int kind = 0; kind < 3; ++kind) {
      const double begin = MPI_Wtime();
      for (int n = 0; n < count; ++n) look(kind, &request);
      orrery_sample(names[kind], orrery_rank, orrery_rank, 0, i, (MPI_Wtime() - begin) / count);
    }
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
