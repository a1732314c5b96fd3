/* SPDX-License-Identifier: BSD-3-Clause
 * Rank 1 looks at its window until rank 0, which needs an answer of the kernel before, has put something there: with
 * MPI_Win_sync in the loop, with MPI_Iprobe, and through MPI_Fetch_and_op. Then each tells the other one and looks,
 * before it has completed what it said. */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void tell(MPI_Win win, int value) {
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_unlock(1, win);
}

int main(int argc, char **argv) {
  volatile int *flag;
  int turns = 0, flagged = 0, seen = 0;
  const int nothing = 0;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof *flag, sizeof *flag, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&flag, &win);
  *flag = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    tell(win, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    tell(win, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    tell(win, 3);
  } else {
    MPI_Win_lock_all(0, win);
    while (*flag != 1) MPI_Win_sync(win), ++turns;
    MPI_Barrier(MPI_COMM_WORLD);
    while (*flag != 2) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flagged, MPI_STATUS_IGNORE), ++turns;
    MPI_Barrier(MPI_COMM_WORLD);
    while (seen != 3) {
      MPI_Fetch_and_op(&nothing, &seen, MPI_INT, 1, 0, MPI_NO_OP, win);
      MPI_Win_flush(1, win);
    }
    MPI_Win_unlock_all(win);
    printf("seen %d\n", seen);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  seen = 4;
  MPI_Accumulate(&seen, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_REPLACE, win);
  while (*flag != 4) MPI_Win_sync(win), ++turns;
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
