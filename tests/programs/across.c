/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of all sizes in a ring, checked, then as many rounds of one byte as are wanted: across [ROUNDS]; or how many
 * bytes a second go from rank 0 to the last: across rate SECONDS. With across abort CODE the last rank aborts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1 << 20 };
static char out[most], in[most], windows[4][most];

static void check_ring(int rank, int size) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  memset(out, 'a' + rank, most);
  for (int bytes = 1; bytes <= most; bytes *= 4) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, to, 0, in, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < bytes; ++i)
      if (in[i] != 'a' + from) MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

/* Windows of messages, as benchmarks of bandwidth send them: one handshake at a time would measure latency. */
static double rate(int rank, int size, double wanted_s) {
  enum { window = 4 };
  const double begin = MPI_Wtime();
  double bytes = 0;
  for (int go = 1; go; bytes += window * most) {
    MPI_Request requests[window];
    if (rank == 0) go = MPI_Wtime() - begin < wanted_s;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < window; ++i) {
      requests[i] = MPI_REQUEST_NULL;
      if (rank == 0) MPI_Isend(out, most, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD, &requests[i]);
      if (rank == size - 1) MPI_Irecv(windows[i], most, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return bytes / (MPI_Wtime() - begin);
}

static double turn_s(int rank, int size) {
  enum { turns = 200 };
  const double begin = MPI_Wtime();
  for (int turn = 0; turn < turns; ++turn) {
    if (rank == 0) {
      MPI_Send(out, 1, MPI_CHAR, size - 1, 2, MPI_COMM_WORLD);
      MPI_Recv(in, 1, MPI_CHAR, size - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == size - 1) {
      MPI_Recv(in, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begin) / turns / 2;
}

int main(int argc, char** argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_ring(rank, size);
  if (rank == 0) {
    printf("all have passed the ring\n");
    fflush(stdout);
  }
  if (argc == 3 && strcmp(argv[1], "abort") == 0 && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  for (long round = argc == 2 ? atol(argv[1]) : 0; round > 0; --round)
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (argc == 3) {
    const double bytes_per_s = rate(rank, size, atof(argv[2])), latency_s = turn_s(rank, size);
    if (rank == 0) printf("rate %.0f\nlatency %.6f\n", bytes_per_s, latency_s);
  }
  if (rank == 0) printf("sum %d of %d\n", sum, size);
  MPI_Finalize();
  return 0;
}
