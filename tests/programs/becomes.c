/* SPDX-License-Identifier: BSD-3-Clause
 * `becomes exec PROGRAM`: becomes another program after MPI_Finalize. `becomes init`: forks a process that calls
 * MPI_Init itself; `becomes call`: one that calls another routine of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, status = 0;
  MPI_Init(&argc, &argv);
  if (strcmp(argv[1], "exec") == 0) {
    MPI_Finalize();
    execv(argv[2], argv + 2);
    return 9;
  }
  if (fork() == 0) {
    if (strcmp(argv[1], "init") == 0) MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 0;
  }
  wait(&status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return WEXITSTATUS(status);
}
