/* SPDX-License-Identifier: BSD-3-Clause
 *   queue a=RANK b=RANK c=RANK bytes=B reps=R pings=N pause_us=P
 *
 * While a sends B bytes to b, c and a exchange one byte, N times, with a pause between. Sample: `half_loaded`, half of
 * the round trip that c sees: how long small messages wait behind a large one. Those from before and after it are
 * sampled as well; the reader knows the way alone from `pingpong`. */
#include "bench.h"

enum { TAG_SMALL = ORRERY_TAG + 2 };

static void ask(int a, int c, long long bytes, int pings, double pause_s, int repetition) {
  char byte = 0;
  for (int i = 0; i < pings; ++i) {
    orrery_wait_until(MPI_Wtime() + pause_s);
    const double begin = MPI_Wtime();
    MPI_Send(&byte, 1, MPI_BYTE, a, TAG_SMALL, MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_BYTE, a, TAG_SMALL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    orrery_sample("half_loaded", a, c, bytes, repetition * pings + i, (MPI_Wtime() - begin) / 2);
  }
}

static void answer(int b, int c, long long bytes, int pings) {
  MPI_Request large;
  char byte = 0;
  MPI_Isend(orrery_buffer(0, bytes), (int)bytes, MPI_BYTE, b, ORRERY_TAG, MPI_COMM_WORLD, &large);
  for (int i = 0; i < pings; ++i) {
    MPI_Recv(&byte, 1, MPI_BYTE, c, TAG_SMALL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&byte, 1, MPI_BYTE, c, TAG_SMALL, MPI_COMM_WORLD);
  }
  MPI_Wait(&large, MPI_STATUS_IGNORE);
}

void orrery_queue(const char* line) {
  const int a = (int)orrery_number(line, "a", 0), b = (int)orrery_number(line, "b", 1);
  const int c = (int)orrery_number(line, "c", 2), pings = (int)orrery_number(line, "pings", 10);
  const long long bytes = orrery_number(line, "bytes", 4 << 20);
  const double pause_s = (double)orrery_number(line, "pause_us", 2000) * 1e-6;
  for (int i = 0; i < (int)orrery_number(line, "reps", 3); ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (orrery_rank == c) ask(a, c, bytes, pings, pause_s, i);
    if (orrery_rank == a) answer(b, c, bytes, pings);
    if (orrery_rank == b)
      MPI_Recv(orrery_buffer(1, bytes), (int)bytes, MPI_BYTE, a, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
