// SPDX-License-Identifier: BSD-3-Clause
// STEPS blocks that each rank samples, between allreduces: sampled STEPS local|global N PRECISION [SPREAD]. A block declares
// a tenth of a second, give or take SPREAD (a part of it; the same draws in each run). Prints how often blocks were executed
// by all ranks. With "mpi" instead of local, MPI is called in the block; with "break" it is left in the middle.
#include <mpi.h>
#include <orrery.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int executed = 0;
static double spread = 0;

// The sum of four draws between -1 and 1, which looks like a draw from a normal distribution of deviation 1.15.
static double draw(uint64_t seed) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    seed = (seed + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    seed ^= seed >> 29;
    sum += (double)(seed >> 11) / (double)(1ull << 52) - 1;
  }
  return sum;
}

static void work(int rank, int step) {
  ++executed;
  ORRERY_COMPUTE(0.1 * (1 + spread * draw((uint64_t)rank * 1000003u + (uint64_t)step)));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int steps = atoi(argv[1]), times = atoi(argv[3]);
  const double precision = atof(argv[4]);
  spread = argc > 5 ? atof(argv[5]) : 0;
  for (int step = 0; step < steps; ++step) {
    if (strcmp(argv[2], "local") == 0) ORRERY_SAMPLE_LOCAL(times, precision) work(rank, step);
    if (strcmp(argv[2], "global") == 0) {
      ORRERY_SAMPLE_GLOBAL(times, precision) {
        work(rank, step);
      }
    }
    if (strcmp(argv[2], "mpi") == 0) ORRERY_SAMPLE_LOCAL(times) MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[2], "break") == 0) {
      ORRERY_SAMPLE_LOCAL(times) {
        work(rank, step);
        break;
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int all = 0;
  MPI_Reduce(&executed, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("executed %d\n", all);
  MPI_Finalize();
  return 0;
}
