// SPDX-License-Identifier: BSD-3-Clause
// Sends arrays of doubles and of ints, long and short, in each way that messages go; each rank fills what it receives into
// with -1 before. Says what has arrived: "arrived" where all of it has, "kept" where all is as it was.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG = 1 << 16, SHORT = 64 };

static int rank, size;
static double numbers[2 * LONG], to_numbers[2 * LONG];
static int counts[2 * LONG], to_counts[2 * LONG];

static void clear(void) {
  for (int i = 0; i < 2 * LONG; ++i) to_numbers[i] = to_counts[i] = -1;
}

static void say(const char* what, int n) {
  int arrived = 1, kept = 1, integers = 1;
  for (int i = 0; i < n; ++i) {
    arrived &= to_numbers[i] >= 0;
    kept &= to_numbers[i] == -1;
    integers &= to_counts[i] >= 0;
  }
  const char* of_numbers = arrived ? "arrived" : kept ? "kept" : "mixed";
  if (rank == 1) printf("%s %d: numbers %s, integers %s\n", what, n, of_numbers, integers ? "arrived" : "kept");
}

static void exchange(int n) {
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  clear();
  MPI_Sendrecv(numbers, n, MPI_DOUBLE, next, 0, to_numbers, n, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(counts, n, MPI_INT, next, 0, to_counts, n, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("sendrecv", n);
  clear();
  MPI_Alltoall(numbers, n / size, MPI_DOUBLE, to_numbers, n / size, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(counts, n / size, MPI_INT, to_counts, n / size, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; rank == 1 && i < n / size; ++i) {  // its own, which is no message
    if (to_numbers[n / size + i] != n / size + i) printf("lost\n");
    to_numbers[n / size + i] = to_numbers[i];
  }
  say("alltoall", n);
  clear();
  if (rank == 0) {
    for (int i = 0; i < n; ++i) to_numbers[i] = to_counts[i] = i;
  }
  MPI_Bcast(to_numbers, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Bcast(to_counts, n, MPI_INT, 0, MPI_COMM_WORLD);
  say("bcast", n);
  clear();
  MPI_Allreduce(numbers, to_numbers, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(counts, to_counts, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  say("allreduce", n);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 2 * LONG; ++i) numbers[i] = counts[i] = i;
  exchange(LONG);
  exchange(SHORT);
  MPI_Finalize();
  return 0;
}
