/* SPDX-License-Identifier: BSD-3-Clause
 *   pingpong pairs=A-B,... bytes=B reps=R warm=W
 *
 * There and back without a pause, by all pairs at once. Sample: `half`, half of a round trip, as the first of a pair
 * saw it; `send_hot`, its time in MPI_Send. With warm=0 the first repetitions hold what the first message of a pair
 * costs. */
#include "bench.h"

/* Returns when the send was done, on the first of the pair. */
static double exchange(int other, int first, long long bytes) {
  double sent = 0;
  char* out = orrery_buffer(0, bytes);
  char* in = orrery_buffer(1, bytes);
  if (first) {
    MPI_Send(out, (int)bytes, MPI_BYTE, other, ORRERY_TAG, MPI_COMM_WORLD);
    sent = MPI_Wtime();
  }
  MPI_Recv(in, (int)bytes, MPI_BYTE, other, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!first) MPI_Send(out, (int)bytes, MPI_BYTE, other, ORRERY_TAG, MPI_COMM_WORLD);
  return sent;
}

static void one_pair(const int pair[2], long long bytes, int repetitions, int warm) {
  const int first = orrery_rank == pair[0];
  const int other = pair[first];
  orrery_buffer(0, bytes);
  orrery_buffer(1, bytes);
  for (int i = -warm; i < repetitions; ++i) {
    const double begin = MPI_Wtime();
    const double sent = exchange(other, first, bytes);
    const double half = (MPI_Wtime() - begin) / 2;
    if (!first || i < 0) continue;
    orrery_sample("half", pair[0], pair[1], bytes, i, half);
    orrery_sample("send_hot", pair[0], pair[1], bytes, i, sent - begin);
  }
}

void orrery_pingpong(const char* line) {
  static int pairs[ORRERY_PAIRS][2];
  const int count = orrery_pairs(line, "pairs", pairs);
  if (count > 1) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i)
    if (pairs[i][0] == orrery_rank || pairs[i][1] == orrery_rank)
      one_pair(pairs[i], orrery_number(line, "bytes", 0), (int)orrery_number(line, "reps", 10),
               (int)orrery_number(line, "warm", 1));
}
