/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * suite OUT.csv SECONDS[/case] WARM MOST TEST:BYTES...
 *
 * Times loops: for each test and size WARM turns, then at most MOST, until the mean of a turn on rank 0 is known to 2 %
 * or its share of SECONDS is over. When SECONDS are over no further case begins; with /case each has so many, however
 * long that takes in all. Appends a line per case to OUT.csv as soon as it is measured; a case that OUT.csv has for
 * this number of ranks is not measured again.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

enum { BATCHES = 20, LEAST_BATCHES = 5, FEW = 100 };
static const double SURE = 0.02, QUANTILE = 1.96; /* half the interval of 95 %, as a share of the mean */

struct mean {
  int turns;
  double mean_s, half_width_s;
};

/* Rank 0: whether the file has a line for this case. */
static int measured_before(const char* file, const struct loop* loop) {
  char line[512], wanted[128];
  FILE* f = fopen(file, "r");
  int found = 0;
  if (!f) return 0;
  snprintf(wanted, sizeof wanted, "%s,%d,%d,", loop->test, loop->size, loop->bytes);
  while (!found && fgets(line, sizeof line, f)) found = !strncmp(line, wanted, strlen(wanted));
  fclose(f);
  return found;
}

static void write_case(const char* file, const struct loop* loop, struct mean found) {
  FILE* f = fopen(file, "a");
  if (!f) {
    perror(file);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fprintf(f, "%s,%d,%d,%d,%.6e,%.6e\n", loop->test, loop->size, loop->bytes, found.turns, found.mean_s,
          found.half_width_s);
  fclose(f);
}

static void turn(const struct loop* loop) {
  if (!pair_turn(loop)) collective_turn(loop);
}

/* Turns of a batch: as many as suit, but the fewest batches that there may be take no longer than the time. Collective.
 */
static int batch_of(const struct loop* loop, int most, double seconds) {
  const int batches_wanted = most < FEW ? LEAST_BATCHES : BATCHES;
  int batch = most < batches_wanted ? 1 : most / batches_wanted;
  double turn_s = MPI_Wtime();
  turn(loop);
  turn_s = MPI_Wtime() - turn_s;
  if (batch * turn_s * LEAST_BATCHES > seconds) batch = (int)(seconds / turn_s / LEAST_BATCHES);
  if (batch < 1) batch = 1;
  MPI_Bcast(&batch, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return batch;
}

/* Turns in batches, so that the clock is hardly looked at; whether there are more is decided by rank 0. Collective. */
static struct mean time_loop(const struct loop* loop, int warm, int most, double seconds) {
  double sum = 0, squares = 0, begin;
  struct mean found = {0, 0, 0};
  int batches = 0, more = 1, batch, i;
  for (i = 0; i < warm; i++) turn(loop);
  batch = batch_of(loop, most, seconds);
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  while (more) {
    double turn_s = MPI_Wtime();
    for (i = 0; i < batch; i++) turn(loop);
    turn_s = (MPI_Wtime() - turn_s) / batch;
    sum += turn_s;
    squares += turn_s * turn_s;
    found.turns = ++batches * batch;
    found.mean_s = sum / batches;
    if (batches > 1)
      found.half_width_s = QUANTILE * sqrt(fmax(0, squares - sum * sum / batches) / (batches - 1) / batches);
    more = found.turns + batch <= most &&
           !(batches >= LEAST_BATCHES && (found.half_width_s <= SURE * found.mean_s || MPI_Wtime() - begin > seconds));
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return found;
}

/* Times a case and writes it down, unless the file has it. Gives 0 where no time is left. Collective: all ranks do what
 * rank 0 finds. */
static int do_case(char** argv, const struct loop* loop, int in_time, double seconds) {
  int todo = in_time ? !measured_before(argv[1], loop) : -1;
  MPI_Bcast(&todo, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (todo < 1) return todo == 0;
  if (!pair_turn(loop) && !collective_turn(loop)) {
    if (!loop->rank) fprintf(stderr, "suite: no test is named %s\n", loop->test);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  {
    const struct mean found = time_loop(loop, atoi(argv[3]), atoi(argv[4]), seconds);
    if (!loop->rank) write_case(argv[1], loop, found);
  }
  return 1;
}

int main(int argc, char** argv) {
  int largest = 0, goes_on = 1, of_each, c;
  int* sizes;
  double started, seconds;
  char* rest;
  struct loop loop;
  MPI_Init(&argc, &argv);
  sizes = calloc((size_t)argc, sizeof *sizes);
  if (argc < 6 || !sizes) {
    fprintf(stderr, "usage: suite OUT.csv SECONDS[/case] WARM MOST TEST:BYTES...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  seconds = strtod(argv[2], &rest);
  of_each = strcmp(rest, "/case") == 0;
  for (c = 5; c < argc; c++) {
    sizes[c] = cut_size(argv[c]);
    if (sizes[c] > largest) largest = sizes[c];
  }
  set_up(&loop, largest);
  MPI_Barrier(MPI_COMM_WORLD);
  started = MPI_Wtime();
  for (c = 5; c < argc && goes_on; c++) {
    loop.test = argv[c];
    loop.bytes = sizes[c];
    goes_on = of_each ? do_case(argv, &loop, 1, seconds)
                      : do_case(argv, &loop, MPI_Wtime() - started <= seconds, seconds / (argc - 5));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
