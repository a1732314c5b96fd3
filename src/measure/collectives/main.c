/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collectives OUT.csv SECONDS SIZE,... NAME...
 *
 * Times each collective at each size of at most SECONDS altogether, and appends a line per case to OUT.csv as soon as it is
 * measured: the longest local duration over the ranks of each call, over the calls. A case that OUT.csv has for this number
 * of ranks is not measured again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

enum { MOST = 40, LEAST = 3, WARM = 2, MOST_SIZES = 64 };

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Rank 0: whether the file has a line for this case. */
static int measured_before(const char *file, const char *name, int size, int bytes) {
  char line[512], wanted[128];
  FILE *f = fopen(file, "r");
  int found = 0;
  if (!f) return 0;
  snprintf(wanted, sizeof wanted, "%s,%d,%d,", name, size, bytes);
  while (!found && fgets(line, sizeof line, f)) found = !strncmp(line, wanted, strlen(wanted));
  fclose(f);
  return found;
}

static void write_case(const char *file, const char *name, int size, int bytes, int n, double *t) {
  double sum = 0;
  FILE *f = fopen(file, "a");
  int i;
  if (!f) {
    perror(file);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fseek(f, 0, SEEK_END);
  qsort(t, (size_t)n, sizeof *t, compare);
  for (i = 0; i < n; i++) sum += t[i];
  if (ftell(f) == 0) fprintf(f, "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max\n");
  fprintf(f, "%s,%d,%d,barrier,%d,%.1f,%.1f,%.1f,%.1f,%.1f\n", name, size, bytes, n, t[0] * 1e6,
          (t[(n - 1) / 2] + t[n / 2]) / 2 * 1e6, t[(9 * n) / 10 < n ? (9 * n) / 10 : n - 1] * 1e6, sum / n * 1e6,
          t[n - 1] * 1e6);
  fclose(f);
}

/* As many repetitions as fit into the seconds of one case, from the duration of a trial. Collective. */
static int repetitions(const char *name, int bytes, const struct buffers *buffers, double seconds) {
  double trial[WARM];
  int n = MOST;
  time_calls(name, bytes, buffers, WARM, trial);
  if (trial[WARM - 1] > 0 && seconds / trial[WARM - 1] < n) n = (int)(seconds / trial[WARM - 1]);
  if (n < LEAST) n = LEAST;
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return n;
}

int main(int argc, char **argv) {
  int rank, size, sizes[MOST_SIZES], n_sizes = 0, largest = 0, i, c;
  double started, seconds, longest[MOST];
  struct buffers buffers;
  char *text;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 5) {
    if (!rank) fprintf(stderr, "usage: collectives OUT.csv SECONDS SIZE,... NAME...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  seconds = atof(argv[2]);
  for (text = strtok(argv[3], ","); text && n_sizes < MOST_SIZES; text = strtok(NULL, ",")) {
    sizes[n_sizes] = atoi(text);
    if (sizes[n_sizes] > largest) largest = sizes[n_sizes];
    n_sizes++;
  }
  buffers.send = calloc((size_t)size, (size_t)largest + 8);
  buffers.receive = calloc((size_t)size, (size_t)largest + 8);
  if (!buffers.send || !buffers.receive) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Barrier(MPI_COMM_WORLD);
  started = MPI_Wtime();
  for (i = 0; i < n_sizes; i++)
    for (c = 4; c < argc; c++) {
      const int bytes = strcmp(argv[c], "barrier") ? sizes[i] : 0;
      /* All ranks do what rank 0 finds: 1 go on, 0 skip, -1 no time is left. */
      int todo = MPI_Wtime() - started > seconds ? -1 : !measured_before(argv[1], argv[c], size, bytes);
      MPI_Bcast(&todo, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (todo < 0) goto end;
      if (!todo) continue;
      if (!collective_call(argv[c], bytes, &buffers, MPI_COMM_WORLD)) {
        if (!rank) fprintf(stderr, "collectives: no collective is named %s\n", argv[c]);
        MPI_Abort(MPI_COMM_WORLD, 2);
      }
      {
        const int n = repetitions(argv[c], bytes, &buffers, seconds / (n_sizes * (argc - 4)));
        time_calls(argv[c], bytes, &buffers, n, longest);
        if (!rank) write_case(argv[1], argv[c], size, bytes, n, longest);
      }
    }
end:
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
