/* SPDX-License-Identifier: BSD-3-Clause
 * `places NAME`: what an environment variable says to each rank, before MPI_Init and after it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *named(const char *name) {
  const char *value = getenv(name);
  return value == NULL ? "nothing" : value;
}

int main(int argc, char **argv) {
  const char *before = named(argc > 1 ? argv[1] : "OMPI_COMM_WORLD_RANK");
  char kept[64];
  int rank;
  snprintf(kept, sizeof kept, "%s", before);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d: %s %s\n", rank, kept, named(argc > 1 ? argv[1] : "OMPI_COMM_WORLD_RANK"));
  MPI_Finalize();
  return 0;
}
