/* SPDX-License-Identifier: BSD-3-Clause */
/* times REPETITIONS KINDS BYTES...: how long collective calls take, by kind and size, with their results checked.

   KINDS is "all" or names with commas. Before each call is a barrier. A line is the kind, its bytes (the vector of
   bcast, reduce and allreduce, which is of whole doubles; a rank's block of gather and allgather), and median, least
   and most seconds of the repetitions; a call takes from its begin to its end on the rank on which that is longest. The
   first call is not counted. A wrong result ends the job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64 };
enum { bcast, reduce, allreduce, gather, allgather, barrier, kinds };

static const char* names[kinds] = {"bcast", "reduce", "allreduce", "gather", "allgather", "barrier"};

static void call(int kind, void* given, void* got, int bytes) {
  MPI_Comm all = MPI_COMM_WORLD;
  switch (kind) {
    case bcast: MPI_Bcast(got, bytes, MPI_BYTE, 0, all); break;
    case reduce: MPI_Reduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, all); break;
    case allreduce: MPI_Allreduce(given, got, bytes / 8, MPI_DOUBLE, MPI_SUM, all); break;
    case gather: MPI_Gather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, 0, all); break;
    case allgather: MPI_Allgather(given, bytes, MPI_BYTE, got, bytes, MPI_BYTE, all); break;
    default: MPI_Barrier(all);
  }
}

/* What a rank gives in a repetition, i-th byte or number. Sums of these numbers are whole, and not rounded. */
static unsigned char byte_of(int rank, int repetition, int i) {
  return (unsigned char)(31 * rank + 17 * repetition + i % 251 + 1);
}
static double number_of(int rank, int repetition, int i) { return rank + 3.0 * repetition + i % 1000 + 1; }

static int reduces(int kind) { return kind == reduce || kind == allreduce; }

static void fill(int kind, int repetition, void* data, int bytes, int rank) {
  for (int i = 0; reduces(kind) && i < bytes / 8; ++i) ((double*)data)[i] = number_of(rank, repetition, i);
  for (int i = 0; !reduces(kind) && i < bytes; ++i) ((unsigned char*)data)[i] = byte_of(rank, repetition, i);
}

/* Whether a rank has got what it should. */
static int is_right(int kind, int repetition, const void* got, int bytes, int rank, int size) {
  if (rank != 0 && (kind == reduce || kind == gather)) return 1;
  if (reduces(kind)) {
    const double* sums = got;
    const double ranks = size * (size - 1.0) / 2;
    for (int i = 0; i < bytes / 8; ++i) {
      if (sums[i] != ranks + size * number_of(0, repetition, i)) return 0;
    }
    return 1;
  }
  const unsigned char* block = got;
  for (int from = 0; from < (kind == bcast ? 1 : size); ++from, block += bytes) {
    for (int i = 0; i < bytes; ++i) {
      if (block[i] != byte_of(from, repetition, i)) return 0;
    }
  }
  return 1;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void measure(int kind, int bytes, int repetitions, int rank, int size) {
  double times[most];
  void* given = malloc((size_t)bytes + 8);
  char* got = malloc(((size_t)bytes + 8) * (size_t)size);
  for (int i = -1; i < repetitions; ++i) {
    memset(got, 0, ((size_t)bytes + 8) * (size_t)size);
    fill(kind, i, kind == bcast && rank == 0 ? got : given, bytes, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call(kind, given, got, bytes);
    const double own = MPI_Wtime() - begin;
    if (!is_right(kind, i, got, bytes, rank, size)) {
      fprintf(stderr, "times: rank %d got wrong data from a %s of %d bytes\n", rank, names[kind], bytes);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
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

/* The kinds that a list names, as bits; 0: it names another one. */
static unsigned listed(const char* list) {
  if (strcmp(list, "all") == 0) return (1u << kinds) - 1;
  unsigned found = 0;
  for (const char* at = list;; ++at) {
    const size_t length = strcspn(at, ",");
    int kind = 0;
    while (kind < kinds && (strncmp(at, names[kind], length) != 0 || names[kind][length] != 0)) ++kind;
    if (kind == kinds) return 0;
    found |= 1u << kind;
    at += length;
    if (*at == 0) return found;
  }
}

/* Bytes of a word that is a multiple of 8; -1: it is none. */
static int bytes_of(const char* word) {
  char* end;
  const long bytes = strtol(word, &end, 10);
  return *word == 0 || *end != 0 || bytes < 0 || bytes > 1 << 30 || bytes % 8 != 0 ? -1 : (int)bytes;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 0;
  const unsigned asked = argc > 2 ? listed(argv[2]) : 0;
  int serves = argc > 3 && asked != 0 && repetitions >= 1 && repetitions <= most;
  for (int i = 3; i < argc; ++i) serves = serves && bytes_of(argv[i]) >= 0;
  if (!serves) {
    if (rank == 0) fprintf(stderr, "usage: times REPETITIONS(1-64) all|KIND,... BYTES(multiples of 8)...\n");
    MPI_Finalize();
    return 2;
  }
  for (int i = 3; i < argc; ++i) {
    for (int kind = 0; kind < kinds; ++kind) {
      if ((asked >> kind & 1) == 0 || (kind == barrier && i > 3)) continue;
      measure(kind, kind == barrier ? 0 : bytes_of(argv[i]), repetitions, rank, size);
    }
  }
  MPI_Finalize();
}
