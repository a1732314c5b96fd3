/* SPDX-License-Identifier: BSD-3-Clause
 * Computes for short and long stretches between calls, and sleeps, which is no computation. Prints how much processor time
 * all of that was, and how much time passed, from the first barrier to the last: nanoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static long long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void compute(long long ns) {
  const long long end = now(CLOCK_MONOTONIC) + ns;
  while (now(CLOCK_MONOTONIC) < end) continue;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_SELF);
  const long long began = now(CLOCK_MONOTONIC), computed = now(CLOCK_THREAD_CPUTIME_ID);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1000; ++i) { /* stretches that are too short to ask for processor time */
      compute(10000);
      MPI_Barrier(MPI_COMM_SELF);
    }
    compute(5000000);
    MPI_Barrier(MPI_COMM_SELF);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    MPI_Barrier(MPI_COMM_SELF);
  }
  printf("%lld %lld\n", now(CLOCK_THREAD_CPUTIME_ID) - computed, now(CLOCK_MONOTONIC) - began);
  MPI_Finalize();
  return 0;
}
