/* SPDX-License-Identifier: BSD-3-Clause
 * Calls that find nothing leave the status alone, and a wait for a send that was cancelled returns.
 */
#include <string.h>

#include "check.h"

static int rank;
static MPI_Status statuses[2], before[2];

static int untouched(void) { return memcmp(statuses, before, sizeof statuses) == 0; }

static void look_for_nothing(void) {
  int flag, index, count, indices[2], values[2];
  MPI_Message message;
  MPI_Request requests[2];
  memset(statuses, 0x5a, sizeof statuses);
  memcpy(before, statuses, sizeof statuses);
  for (int i = 0; i < 2; ++i) MPI_Irecv(&values[i], 1, MPI_INT, 0, 10 + i, MPI_COMM_SELF, &requests[i]);
  MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, statuses);
  CHECK(!flag && untouched());
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, statuses);
  CHECK(!flag && untouched());
  MPI_Improbe(0, 1, MPI_COMM_SELF, &flag, &message, statuses);
  CHECK(!flag && untouched());
  MPI_Test(&requests[0], &flag, statuses);
  CHECK(!flag && untouched());
  MPI_Testany(2, requests, &index, &flag, statuses);
  CHECK(!flag && untouched());
  MPI_Testall(2, requests, &flag, statuses);
  CHECK(!flag && untouched());
  MPI_Testsome(2, requests, &count, indices, statuses);
  CHECK(count == 0 && untouched());
  MPI_Request_get_status(requests[0], &flag, statuses);
  CHECK(!flag && untouched());
  for (int i = 0; i < 2; ++i) MPI_Cancel(&requests[i]);
  MPI_Waitall(2, requests, statuses);
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_SUCCESS);
}

/* The message stays: it can be received, as the status says that it was not cancelled. */
static void cancel_sends(void) {
  static char large[1 << 20];
  MPI_Request requests[2];
  MPI_Status status;
  int cancelled, value = 7;
  if (rank == 0) {
    MPI_Issend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(large, sizeof large, MPI_CHAR, 1, 6, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; ++i) {
      MPI_Cancel(&requests[i]);
      MPI_Wait(&requests[i], &status);
      MPI_Test_cancelled(&status, &cancelled);
      CHECK(!cancelled);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 7);
    MPI_Recv(large, sizeof large, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) { /* and one that nobody ever receives */
    MPI_Issend(large, sizeof large, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  look_for_nothing();
  cancel_sends();
  if (rank == 0) printf("all as they should be\n");
  MPI_Finalize();
  return 0;
}
