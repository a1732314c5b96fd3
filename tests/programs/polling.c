/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to learn that something is complete: what it learns decides what it does next. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { messages = 12, tag = 3 };

static double spin(int times) {
  volatile double x = 1;
  for (int i = 0; i < times; ++i) x = x * 1.0000001 + 0.1;
  return x;
}

/* Rank 0 gets `messages` from each other rank: by tests, waits and probes in turn. */
static void receive_all(int size) {
  for (int round = 0; round < messages; ++round) {
    int values[64];
    MPI_Request requests[64];
    int count = 0;
    const int how = round % 6;
    if (how < 4) {
      for (int peer = 1; peer < size; ++peer)
        MPI_Irecv(&values[count], 1, MPI_INT, how == 3 ? MPI_ANY_SOURCE : peer, tag, MPI_COMM_WORLD, &requests[count]),
            ++count;
    }
    int done = 0, index = 0, flag = 0, indices[64];
    switch (how) {
      case 0:
        while (!flag) {
          spin(1000);
          MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
        }
        break;
      case 1:
        while (done < count) {
          MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
          if (flag) ++done;
        }
        break;
      case 2:
        while (done < count) {
          int some = 0;
          MPI_Testsome(count, requests, &some, indices, MPI_STATUSES_IGNORE);
          done += some;
        }
        break;
      case 3:
        for (done = 0; done < count; ++done) {
          MPI_Status status;
          MPI_Waitany(count, requests, &index, &status);
          if (values[index] != status.MPI_SOURCE * 100 + round) exit(1);
        }
        break;
      case 4:
        for (done = 0; done < size - 1;) {
          MPI_Status status;
          int value;
          MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &status);
          if (!flag) continue;
          MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          ++done;
        }
        break;
      default:
        for (done = 0; done < size - 1;) {
          MPI_Message message;
          int value;
          MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
          if (!flag) continue;
          MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
          ++done;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    receive_all(size);
  } else {
    for (int round = 0; round < messages; ++round) {
      spin(20000 * rank);
      const int value = rank * 100 + round;
      MPI_Request request;
      MPI_Issend(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
      for (int flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
