/* SPDX-License-Identifier: BSD-3-Clause
 * A program that is started without orrery run: it is one rank. An argument says how it is to end.
 */
#include <string.h>
#include <unistd.h>

#include "check.h"

static int rank, size;

static void send_to_itself(void) {
  int there = 3, back = 0, sum = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&back, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Send(&there, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  CHECK(back == 3 && status.MPI_SOURCE == 0 && status.MPI_TAG == 5);
  MPI_Allreduce(&there, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == 3);
}

/* Nothing is simulated: clocks go on while it sleeps. */
static void sleep_a_while(void) {
  const double begin = MPI_Wtime();
  usleep(50000);
  const double slept = MPI_Wtime() - begin;
  CHECK(slept >= 0.05 && slept < 5);
}

static void start_others(void) {
  MPI_Comm others;
  int class;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int code = MPI_Comm_spawn("./alone", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others,
                                  MPI_ERRCODES_IGNORE);
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_SPAWN);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  send_to_itself();
  sleep_a_while();
  start_others();
  printf("rank %d of %d\n", rank, size);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (argc > 1 && strcmp(argv[1], "wait") == 0) MPI_Recv(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 4;
}
