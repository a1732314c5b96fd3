// SPDX-License-Identifier: BSD-3-Clause
// Declares computation instead of doing any: a second times the first argument on rank 0, twice that on rank 1, and so
// on. With a second argument it declares so many seconds that cannot be.
#include <mpi.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  ORRERY_COMPUTE(1e6);  // no rank yet
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double before = MPI_Wtime();
  ORRERY_COMPUTE(atof(argv[1]) * (rank + 1));
  if (argc > 2) ORRERY_COMPUTE(atof(argv[2]));
  const double after = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("took %.6f\n", after - before);
  MPI_Finalize();
  ORRERY_COMPUTE(1e6);  // no rank any more
  return 0;
}
