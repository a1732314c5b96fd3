/* SPDX-License-Identifier: BSD-3-Clause
 * Clocks of ranks differ and drift apart by microseconds a second, so they are compared right before they are needed:
 * of many questions and answers, the one with the shortest round trip tells best what the other clock shows. */
#define _POSIX_C_SOURCE 200112L
#include <time.h>

#include "bench.h"

enum { TAG_ASK = ORRERY_TAG + 1 };

/* Sleeping may last some 100 us longer than asked for; the rest is spent looking at the clock. */
static const double watch_s = 250e-6;

static void sleep_for(double seconds) {
  const struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&pause, NULL);
}

void orrery_wait_until(double time) {
  for (double left = time - MPI_Wtime(); left > 0; left = time - MPI_Wtime())
    if (left > watch_s) sleep_for(left - watch_s);
}

void orrery_sleep_until(double time) {
  for (double left = time - MPI_Wtime(); left > 0; left = time - MPI_Wtime()) sleep_for(left);
}

double orrery_clock_offset(int other, int first, int rounds) {
  double best_trip = 1e30, offset = 0;
  for (int i = 0; i < rounds; ++i) {
    double theirs = 0;
    if (first) {
      const double asked = MPI_Wtime();
      MPI_Send(&asked, 1, MPI_DOUBLE, other, TAG_ASK, MPI_COMM_WORLD);
      MPI_Recv(&theirs, 1, MPI_DOUBLE, other, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double trip = MPI_Wtime() - asked;
      if (trip < best_trip) {
        best_trip = trip;
        offset = asked + trip / 2 - theirs;
      }
    } else {
      MPI_Recv(&theirs, 1, MPI_DOUBLE, other, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      theirs = MPI_Wtime();
      MPI_Send(&theirs, 1, MPI_DOUBLE, other, TAG_ASK, MPI_COMM_WORLD);
    }
  }
  /* Whoever asked knows; the other one is told. */
  if (first) {
    MPI_Send(&offset, 1, MPI_DOUBLE, other, TAG_ASK, MPI_COMM_WORLD);
    return offset;
  }
  MPI_Recv(&offset, 1, MPI_DOUBLE, other, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return -offset;
}

static double to_rank_0; /* what must be added to our clock to have that of rank 0 */

void orrery_synchronise(int rounds) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int rank = 1; rank < orrery_size; ++rank) {
    if (orrery_rank == 0) orrery_clock_offset(rank, 1, rounds);
    if (orrery_rank == rank) to_rank_0 = -orrery_clock_offset(0, 0, rounds);
  }
}

double orrery_common_start(double ahead) {
  double start = MPI_Wtime() + ahead;
  MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return start - to_rank_0;
}

void orrery_clocks(const char* line) {
  orrery_synchronise((int)orrery_number(line, "rounds", 50));
  orrery_sample("offset", orrery_rank, 0, 0, 0, to_rank_0);
  orrery_sample("clock", orrery_rank, 0, 0, 0, MPI_Wtime());
}
