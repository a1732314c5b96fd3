/* SPDX-License-Identifier: BSD-3-Clause
 * For `orrery capture`: rank 1 ends in the middle, as the argument says: kill (SIGKILL), exit (without MPI_Finalize),
 * _exit, leave (all ranks return from main without MPI_Finalize); never: nobody does, for ever. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 100 };

static void end(const char* how) {
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "_exit") == 0) _exit(5);
}

int main(int argc, char** argv) {
  int rank, own = 1, sum = 0;
  const char* how = argc > 1 ? argv[1] : "never";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 1;; ++round) {
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (round < rounds) continue;
    if (round == rounds) MPI_Barrier(MPI_COMM_WORLD); /* all have come as far as this */
    if (strcmp(how, "leave") == 0) return 0;
    if (round == rounds && rank == 0) {
      puts("ready");
      fflush(stdout);
    }
    if (rank == 1) end(how);
    usleep(1000);
  }
}
