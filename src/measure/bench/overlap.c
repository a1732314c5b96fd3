/* SPDX-License-Identifier: BSD-3-Clause
 *   overlap a=RANK b=RANK bytes=B reps=R
 *
 * How much of a transfer goes on while both sides compute and call nothing: post, compute for as long as the transfer
 * alone takes, wait. Samples of each side: `alone`, post and wait; `computing`, post, compute and wait. With
 * full overlap the two are equal, without any the second is twice the first. */
#include "bench.h"

static double once(int peer, int sends, long long bytes, double compute_s) {
  MPI_Request request;
  const double begin = MPI_Wtime();
  if (sends)
    MPI_Isend(orrery_buffer(0, bytes), (int)bytes, MPI_BYTE, peer, ORRERY_TAG, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(orrery_buffer(1, bytes), (int)bytes, MPI_BYTE, peer, ORRERY_TAG, MPI_COMM_WORLD, &request);
  while (MPI_Wtime() - begin < compute_s) {
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return MPI_Wtime() - begin;
}

/* The two begin within a one-way time of each other. */
static void meet(int peer, int sends) {
  char byte = 0;
  if (!sends) MPI_Send(&byte, 1, MPI_BYTE, peer, ORRERY_TAG, MPI_COMM_WORLD);
  if (sends) MPI_Recv(&byte, 1, MPI_BYTE, peer, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void orrery_overlap(const char* line) {
  const int a = (int)orrery_number(line, "a", 0), b = (int)orrery_number(line, "b", 1);
  const long long bytes = orrery_number(line, "bytes", 0);
  if (orrery_rank != a && orrery_rank != b) return;
  const int sends = orrery_rank == a, peer = sends ? b : a;
  orrery_buffer(0, bytes);
  orrery_buffer(1, bytes);
  for (int i = 0; i < (int)orrery_number(line, "reps", 5); ++i) {
    meet(peer, sends);
    const double alone = once(peer, sends, bytes, 0);
    meet(peer, sends);
    const double computing = once(peer, sends, bytes, alone);
    orrery_sample("alone", orrery_rank, peer, bytes, i, alone);
    orrery_sample("computing", orrery_rank, peer, bytes, i, computing);
  }
}
