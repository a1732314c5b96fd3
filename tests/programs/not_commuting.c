// SPDX-License-Identifier: BSD-3-Clause
// Ten reductions by an operation that does not commute, then one that does, and an exchange of all with all.
#include <mpi.h>

#include "check.h"

static void second(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)in;
  (void)inout;
  (void)n;
  (void)type;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op op;
  MPI_Op_create(second, 0, &op);
  int last = 0;
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&rank, &last, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(last == size - 1);
  int out[64], in[64];
  for (int i = 0; i < 64; ++i) out[i] = rank;
  if (argc > 1) MPI_Allreduce(out, in, 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
