/* SPDX-License-Identifier: BSD-3-Clause
 * What a call costs, as the program sees it: loops that do nothing but call MPI. Each line on standard output is a name
 * and nanoseconds per call; of a pair, rank 0 speaks. For bench/capture_overhead.py, with a real MPI. usage: calls
 * [seconds per loop] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { at_once = 1000 };
static int rank;

static void iprobe(MPI_Comm comm) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 7, comm, &flag, MPI_STATUS_IGNORE);
}

static void to_self(MPI_Comm comm) {
  int out = 1, in = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, 0, 0, comm, &requests[1]);
  MPI_Waitall(2, requests, statuses);
}

static void allreduce(MPI_Comm comm) {
  double in = 1, out;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static void pingpong(MPI_Comm comm) {
  int value = 0;
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, comm);
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, comm);
}

/* Both ranks of a pair do the same number of rounds: rank 0 says when it is enough. */
static void measure(const char* name, void (*body)(MPI_Comm), MPI_Comm comm, int calls, double seconds) {
  long rounds = 0;
  int enough = 0;
  const double begin = MPI_Wtime();
  while (!enough) {
    for (int i = 0; i < at_once; ++i) body(comm);
    rounds += at_once;
    enough = MPI_Wtime() - begin > seconds;
    MPI_Bcast(&enough, 1, MPI_INT, 0, comm);
  }
  const double each = (MPI_Wtime() - begin) / ((double)rounds * calls);
  if (rank == 0) printf("%s %.2f\n", name, 1e9 * each);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  if (rank == 0) {
    measure("iprobe", iprobe, MPI_COMM_SELF, 1, seconds);
    measure("irecv+isend+waitall", to_self, MPI_COMM_SELF, 3, seconds);
    measure("allreduce", allreduce, MPI_COMM_SELF, 1, seconds);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (size == 2) measure("send+recv", pingpong, MPI_COMM_WORLD, 2, seconds); /* two calls of each rank in a round */
  MPI_Finalize();
  return 0;
}
