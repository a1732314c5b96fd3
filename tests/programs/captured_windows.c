/* SPDX-License-Identifier: BSD-3-Clause
 * One-sided communication of all kinds, for capture on a real MPI: fences, locks, post and start, with all accesses. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 1000, rounds = 5 };

static void fences(MPI_Win win, double* data, int next) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_fence(0, win);
    MPI_Put(data, length, MPI_DOUBLE, next, 0, length, MPI_DOUBLE, win);
    MPI_Get(data + length, 10, MPI_DOUBLE, next, length, 10, MPI_DOUBLE, win);
    MPI_Put(data, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
}

static void locks(MPI_Win win, double* data, int next) {
  MPI_Request request;
  double one = 1, old = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Win_lock_all(0, win);
  MPI_Fetch_and_op(&one, &old, MPI_DOUBLE, next, 0, MPI_SUM, win);
  MPI_Win_flush(next, win);
  MPI_Rput(data, length, MPI_DOUBLE, next, length, length, MPI_DOUBLE, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get_accumulate(&one, 1, MPI_DOUBLE, &old, 1, MPI_DOUBLE, next, 1, 1, MPI_DOUBLE, MPI_NO_OP, win);
  MPI_Win_flush_all(win);
  MPI_Win_unlock_all(win);
}

static void post_and_start(MPI_Win win, double* data, int previous, int next) {
  MPI_Group all, origin, target;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &previous, &origin);
  MPI_Group_incl(all, 1, &next, &target);
  for (int i = 0; i < rounds; ++i) {
    int over = 0;
    MPI_Win_post(origin, 0, win);
    MPI_Win_start(target, 0, win);
    MPI_Put(data, length, MPI_DOUBLE, next, 0, length, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    if (i % 2 == 0) MPI_Win_wait(win);
    while (i % 2 != 0 && !over) MPI_Win_test(win, &over);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
}

static void in_half(MPI_Comm half, double* data) {
  int rank, size;
  MPI_Win win;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  MPI_Win_create(data, 2 * length * sizeof(double), sizeof(double), MPI_INFO_NULL, half, &win);
  fences(win, data, (rank + 1) % size);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  int rank, size;
  double *memory, *data = calloc(2 * length, sizeof *data);
  MPI_Win win;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(2 * length * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  fences(win, data, (rank + 1) % size);
  locks(win, data, (rank + 1) % size);
  MPI_Win_fence(0, win);
  post_and_start(win, data, (rank + size - 1) % size, (rank + 1) % size);
  MPI_Win_free(&win);

  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* ranks of the window are others than those of the world */
  /* One half after the other: Open MPI 4.1 names a window's file in shared memory after the number of its communicator,
     which is the same for both. */
  for (int turn = 0; turn < 2; ++turn) {
    if (rank % 2 == turn) in_half(half, data);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&half);
  free(data);
  MPI_Finalize();
  return 0;
}
