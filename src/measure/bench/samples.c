/* SPDX-License-Identifier: BSD-3-Clause
 * Samples: gathered by rank 0 when an experiment is done, and appended to the results in one piece. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

struct sample {
  char what[ORRERY_NAME];
  int from, to, repetition;
  long long bytes;
  double value;
};

static struct sample* samples;
static int used, room;

void orrery_sample(const char* what, int from, int to, long long bytes, int repetition, double value) {
  if (used == room) {
    room = room ? 2 * room : 1024;
    samples = realloc(samples, (size_t)room * sizeof *samples);
    if (!samples) orrery_fail("no memory", "samples");
  }
  struct sample* sample = &samples[used++];
  memset(sample, 0, sizeof *sample);
  snprintf(sample->what, sizeof sample->what, "%s", what);
  for (char* at = sample->what; *at; ++at)
    if (*at == ',' || *at == '\n') *at = ';';
  sample->from = from;
  sample->to = to;
  sample->bytes = bytes;
  sample->repetition = repetition;
  sample->value = value;
}

/* Whether the last line of the results is of an experiment that was not finished: an interruption has cut it. */
static int is_cut(const char* results) {
  char tail[256] = "";
  FILE* file = fopen(results, "r");
  if (!file) return 0;
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file), part = bytes < 255 ? bytes : 255;
  fseek(file, -part, SEEK_END);
  const size_t got = fread(tail, 1, (size_t)part, file);
  fclose(file);
  if (got == 0) return 0;
  if (tail[got - 1] != '\n') return 1;
  tail[got - 1] = 0;
  const char* line = strrchr(tail, '\n');
  return strstr(line ? line : tail, ",done,") == NULL;
}

static void write_all(const char* id, const char* results, const struct sample* all, int count) {
  const int cut = is_cut(results);
  FILE* file = fopen(results, "a");
  if (!file) orrery_fail("cannot write the results", results);
  if (cut) fprintf(file, "\n# cut: what stands before was not finished\n");
  for (int i = 0; i < count; ++i)
    fprintf(file, "%s,%s,%d,%d,%lld,%d,%.9g\n", id, all[i].what, all[i].from, all[i].to, all[i].bytes,
            all[i].repetition, all[i].value);
  fprintf(file, "%s,done,0,0,0,0,%.9g\n", id, MPI_Wtime());
  if (fflush(file) != 0 || fclose(file) != 0) orrery_fail("cannot write the results", results);
}

void orrery_done(const char* id, const char* results) {
  const int bytes = used * (int)sizeof *samples;
  int* counts = malloc((size_t)orrery_size * sizeof *counts);
  int* starts = malloc((size_t)orrery_size * sizeof *starts);
  MPI_Gather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int total = 0;
  if (orrery_rank == 0)
    for (int i = 0; i < orrery_size; total += counts[i++]) starts[i] = total;
  char* all = malloc((size_t)total + 1);
  MPI_Gatherv(samples, bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (orrery_rank == 0) write_all(id, results, (struct sample*)all, total / (int)sizeof *samples);
  free(all);
  free(counts);
  free(starts);
  used = 0;
}
