/* SPDX-License-Identifier: BSD-3-Clause */
/* plugged PLUGIN.so ...: calls plugin_sum of each library, whatever interface of MPI that has, and prints what all gave. With -DWITHOUT_MPI it has none itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#ifndef WITHOUT_MPI
#include <mpi.h>
#endif

int main(int argc, char **argv) {
  int before = 0;
#ifndef WITHOUT_MPI
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#endif
  printf("sums");
  if (before) printf(" %d", before);
  for (int i = 1; i < argc; ++i) {
    void *library = dlopen(argv[i], RTLD_NOW);
    int (*sum)(void) = library ? (int (*)(void))dlsym(library, "plugin_sum") : NULL;
    printf(" %d", sum ? sum() : -2);
  }
  puts("");
#ifndef WITHOUT_MPI
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
#endif
  return 0;
}
