// SPDX-License-Identifier: BSD-3-Clause
/* Two kinds of regions: one that computes, and one that writes a line to a file besides. Counts both. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { numbers = 20000 };

static double compute(double* values) {
  double sum = 0;
  for (int i = 0; i < numbers; ++i) sum += values[i] = 0.5 * values[i] + i;
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  int rank, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* values = calloc(numbers, sizeof *values);
  FILE* file = tmpfile();
  setvbuf(file, NULL, _IONBF, 0);
  double all;
  for (int step = 0; step < steps; ++step) {
    double sum = compute(values);
    ++done;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum = compute(values);
    fputs("\n", file);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const int child = waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
  printf("%d steps, %ld lines, %s child\n", done, ftell(file), child ? "a" : "no");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
