/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "times.h"

static MPI_Datatype number(int bytes) { return bytes % 8 == 0 ? MPI_DOUBLE : bytes % 4 == 0 ? MPI_FLOAT : MPI_CHAR; }
static int count(int bytes) { return bytes % 8 == 0 ? bytes / 8 : bytes % 4 == 0 ? bytes / 4 : bytes; }

int collective_call(const char *name, int bytes, const struct buffers *buffers, MPI_Comm comm) {
  char *out = buffers->send, *in = buffers->receive;
  if (!strcmp(name, "barrier"))
    MPI_Barrier(comm);
  else if (!strcmp(name, "bcast"))
    MPI_Bcast(out, bytes, MPI_BYTE, 0, comm);
  else if (!strcmp(name, "reduce"))
    MPI_Reduce(out, in, count(bytes), number(bytes), MPI_SUM, 0, comm);
  else if (!strcmp(name, "allreduce"))
    MPI_Allreduce(out, in, count(bytes), number(bytes), MPI_SUM, comm);
  else if (!strcmp(name, "gather"))
    MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, comm);
  else if (!strcmp(name, "scatter"))
    MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm);
  else if (!strcmp(name, "allgather"))
    MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
  else if (!strcmp(name, "alltoall"))
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
  else
    return 0;
  return 1;
}

void time_calls(const char *name, int bytes, const struct buffers *buffers, int repetitions, double *longest) {
  int i;
  for (i = 0; i < repetitions; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    longest[i] = MPI_Wtime();
    collective_call(name, bytes, buffers, MPI_COMM_WORLD);
    longest[i] = MPI_Wtime() - longest[i];
  }
  /* Gathered once at the end: nothing but barriers comes between the calls. */
  {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(rank ? longest : MPI_IN_PLACE, longest, repetitions, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  }
}
