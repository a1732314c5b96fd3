/* SPDX-License-Identifier: BSD-3-Clause */
/* times REPETITIONS KINDS BYTES...: how long collective calls take, by kind and size.

   KINDS is "all" or names with commas. Before each call is a barrier. A line is the kind, its bytes (the vector of
   bcast, reduce and allreduce; a rank's block of gather and allgather), and median, least and most seconds of the
   repetitions; a call takes from its begin to its end on the rank on which that is longest. The first call is not
   counted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64 };

static const char* names[] = {"bcast", "reduce", "allreduce", "gather", "allgather", "barrier"};

static void call(int kind, char* given, char* got, int bytes) {
  MPI_Comm all = MPI_COMM_WORLD;
  switch (kind) {
    case 0: MPI_Bcast(got, bytes, MPI_BYTE, 0, all); break;
    case 1: MPI_Reduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, all); break;
    case 2: MPI_Allreduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, all); break;
    case 3: MPI_Gather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, 0, all); break;
    case 4: MPI_Allgather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, all); break;
    default: MPI_Barrier(all);
  }
}

static int listed(const char* kinds, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = kinds; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0)) return 1;
  }
  return strcmp(kinds, "all") == 0;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void measure(int kind, int bytes, int repetitions, int rank, int size) {
  double times[most];
  char* given = calloc((size_t)bytes + 8, 1);
  char* got = calloc((size_t)(bytes + 8) * (size_t)size, 1);
  for (int i = -1; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call(kind, given, got, bytes);
    const double own = MPI_Wtime() - begin;
    double longest;
    MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i >= 0) times[i] = longest;
  }
  qsort(times, (size_t)repetitions, sizeof *times, by_size);
  if (rank == 0) {
    printf("%s %d %.6f %.6f %.6f\n", names[kind], bytes, times[repetitions / 2], times[0], times[repetitions - 1]);
    fflush(stdout);
  }
  free(given);
  free(got);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 0;
  if (argc < 4 || repetitions < 1 || repetitions > most) {
    if (rank == 0) fprintf(stderr, "usage: times REPETITIONS(1-64) all|KIND,... BYTES...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int i = 3; i < argc; ++i) {
    for (int kind = 0; kind < 6; ++kind) {
      const int barrier = kind == 5;
      if (!listed(argv[2], names[kind])) continue;
      if (barrier && i > 3) continue;
      measure(kind, barrier ? 0 : atoi(argv[i]), repetitions, rank, size);
    }
  }
  MPI_Finalize();
}
