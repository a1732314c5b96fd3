/* SPDX-License-Identifier: BSD-3-Clause
 * `reads_memory HOW MESSAGES`: rank 0 reads a flag again and again until rank 1 sets it, which exchanges messages with
 * rank 2 before. HOW says where the flag is, and what is in the loop: window, yield (in a window), mapped (a file that
 * the program maps itself), file (one that is there or not). Each rank says when it was done. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const name = "flag";

static atomic_int *in_window(MPI_Win *win, int rank) {
  atomic_int *flag;
  int unit;
  MPI_Aint size;
  MPI_Win_allocate_shared(rank == 0 ? sizeof *flag : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &flag, win);
  MPI_Win_shared_query(*win, 0, &size, &unit, &flag);
  return flag;
}

static atomic_int *in_file(int rank) {
  if (rank == 0) {
    const int new = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(new, sizeof(atomic_int)) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    close(new);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int file = open(name, O_RDWR);
  void *mapped = mmap(NULL, sizeof(atomic_int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped;
}

int main(int argc, char **argv) {
  int rank, got = 0;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *how = argv[1];
  const int by_name = strcmp(how, "file") == 0, mapped = strcmp(how, "mapped") == 0;
  atomic_int *flag = by_name ? NULL : mapped ? in_file(rank) : in_window(&win, rank);
  if (rank == 0 && flag != NULL) atomic_store(flag, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank == 0) {
    while (by_name ? access(name, F_OK) != 0 : atomic_load(flag) == 0)
      if (strcmp(how, "yield") == 0) sched_yield();
  } else {
    for (int i = 0; i < atoi(argv[2]); ++i)
      MPI_Sendrecv(&i, 1, MPI_INT, 3 - rank, 0, &got, 1, MPI_INT, 3 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 && by_name) close(open(name, O_CREAT | O_WRONLY, 0600));
    if (rank == 1 && !by_name) atomic_store(flag, 1);
  }
  printf("rank %d %.9f\n", rank, MPI_Wtime() - begin);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (win != MPI_WIN_NULL) MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
