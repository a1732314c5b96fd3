/* SPDX-License-Identifier: BSD-3-Clause
 * For `orrery capture`: messages, requests, communicators and collectives of all sorts, then an end as the argument says:
 * crash, abort, or none. Four ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double in[1000], out[1000];
static int rank, size;

static void ring(MPI_Comm half) {
  for (int i = 0; i < 50; ++i) {
    MPI_Request both[2];
    MPI_Irecv(in, 1000, MPI_DOUBLE, (rank + size - 1) % size, i, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, 1000, MPI_DOUBLE, (rank + 1) % size, i, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Allreduce(out, in, 10, MPI_DOUBLE, MPI_SUM, half);
  }
}

static void wildcards(void) {
  if (rank == 0) {
    for (int i = 1; i < size; ++i)
      MPI_Recv(in, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 4, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Send(out, 10 * rank, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, 4, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  }
}

static void between_groups(MPI_Comm half) {
  MPI_Comm inter, merged;
  MPI_Request request;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 9, &inter);
  MPI_Bcast(out, 5, MPI_DOUBLE, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  MPI_Allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, inter);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Send_init(out, 10, MPI_DOUBLE, (rank + 1) % size, 3, merged, &request);
  MPI_Start(&request);
  MPI_Recv(in, 10, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, merged, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Iallreduce(out, in, 10, MPI_DOUBLE, MPI_SUM, merged, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE, in, 4, MPI_DOUBLE, merged);
}

static void grid(void) {
  MPI_Comm line;
  const int period = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &line);
  MPI_Neighbor_allgather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, line);
  MPI_Comm_free(&line);
}

int main(int argc, char** argv) {
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  ring(half);
  wildcards();
  between_groups(half);
  grid();
  if (argc > 1 && strcmp(argv[1], "crash") == 0 && rank == 1) abort();
  if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1) {
    MPI_Abort(MPI_COMM_WORLD, 3);
    for (;;) pause(); /* on a busy host MPICH 5 returns, and kills the ranks a little later */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
