/* SPDX-License-Identifier: BSD-3-Clause
 * Rank 0 waits for rank 1 where MPI cannot see it, in a named pipe; rank 1 needs an answer of the simulation before it
 * writes, for which rank 0 would have to say what it does next. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, pipe, flag = 0;
  char word[8] = "";
  double began;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && mkfifo("pipe", 0600) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  began = MPI_Wtime();
  if (rank == 0) {
    pipe = open("pipe", O_RDONLY); /* until rank 1 opens it, too */
    if (read(pipe, word, sizeof word) != 6) MPI_Abort(MPI_COMM_WORLD, 2);
    printf("%s, %d\n", word, MPI_Wtime() - began > 1e-3);
  } else {
    usleep(2000);
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    pipe = open("pipe", O_WRONLY);
    if (write(pipe, "hello", 6) != 6) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  close(pipe);
  MPI_Finalize();
  return 0;
}
