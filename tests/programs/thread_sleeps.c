/* SPDX-License-Identifier: BSD-3-Clause
   A thread sleeps until 0.1 s after what its clock says, which a sleep of the first thread has put 60 s ahead of the
   host's; the first thread, which waits for it, then sees that time has passed. Prints "wrong" and what, or nothing. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double host_s(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *sleep_until(void *argument) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 100000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    ++until.tv_sec;
  }
  const double begun_s = host_s();
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
  const double slept_s = host_s() - begun_s;
  if (slept_s < 0.09 || slept_s > 30) printf("wrong: slept %.3f s instead of 0.1 s\n", slept_s);
  return argument;
}

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const struct timespec ahead = {60, 0};
  nanosleep(&ahead, NULL);
  pthread_t thread;
  const double begun_s = MPI_Wtime();
  pthread_create(&thread, NULL, sleep_until, NULL);
  pthread_join(thread, NULL);
  const double passed_s = MPI_Wtime() - begun_s;
  if (passed_s < 0.0999 || passed_s > 30) printf("wrong: %.3f s passed instead of 0.1 s\n", passed_s);
  MPI_Finalize();
  return 0;
}
