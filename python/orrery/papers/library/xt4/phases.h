/* SPDX-License-Identifier: BSD-3-Clause */
/* What the four programs share: the rate of a core, times of phases, and the line that says that the results are right. */
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "orrery.h"

/* A core of the XT4: 2.6 GHz, two operations a cycle, of which codes that wait for memory reach a tenth. */
#define FLOPS_PER_S (0.1 * 2 * 2.6e9)

static int rank, size;

static inline void compute(double flops) { ORRERY_COMPUTE(flops / FLOPS_PER_S); }

static int argument(int argc, char **argv, int i, int otherwise) { return argc > i ? atoi(argv[i]) : otherwise; }

static inline double sum_of(double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* "NAME: SECONDS s": the longest that any rank spent in a phase. */
static void say(const char *name, double mine_s) {
  double longest_s;
  MPI_Reduce(&mine_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %.9f s\n", name, longest_s);
}

/* "check: ok", or what is wrong, and the exit status. */
static int checked(int good, const char *what, double found) {
  if (rank == 0) good ? puts("check: ok") : printf("check: failed: %s: %g\n", what, found);
  MPI_Finalize();
  return good ? 0 : 1;
}
