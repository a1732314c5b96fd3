/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that uses MPI, for programs that were linked with another interface, or with none: plugin_sum gives the sum of
   the ranks by a function of its own, and -1 where something is not as its mpi.h says. */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

static int wrong;

static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
  wrong += *type != MPI_INT;
  for (int i = 0; i < *length; ++i) ((int *)inout)[i] += ((int *)in)[i];
}

static void count_error(MPI_Comm *comm, int *code, ...) {
  int error_class = 0;
  (void)comm;
  MPI_Error_class(*code, &error_class);
  wrong += error_class != MPI_ERR_RANK;
}

static void end(void) { MPI_Finalize(); }

int plugin_sum(void) {
  int rank = -1, sum = 0, size = 0, started = 0;
  MPI_Op op;
  MPI_Comm own;
  MPI_Errhandler handler;
  MPI_Status status;
  wrong = 0;
  MPI_Initialized(&started);
  if (!started) {
    MPI_Init(NULL, NULL);
    atexit(end);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_rank(own, &rank);
  MPI_Comm_size(own, &size);
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, own);
  MPI_Op_free(&op);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Errhandler_free(&handler);
  MPI_Send(&rank, 1, MPI_INT, size, 0, own);
  MPI_Sendrecv(&rank, 1, MPI_INT, rank, 5, &size, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, own, &status);
  wrong += status.MPI_SOURCE != rank || status.MPI_TAG != 5 || size != rank;
  MPI_Comm_free(&own);
  return wrong == 0 ? sum : -1;
}
