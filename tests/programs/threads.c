/* SPDX-License-Identifier: BSD-3-Clause
   Threads of the two ranks of each pair talk to each other, all at the same time: blocking and immediate messages,
   wildcards, probes, collectives of all ranks on a communicator each, and one thread that waits outside of MPI. Prints
   "wrong" and what, or nothing. For an even number of ranks. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, turns = 50, many = 20000 };

static int rank, size, partner;
static MPI_Comm comms[threads];
static char room[2 * threads * 3 * (sizeof(int) + MPI_BSEND_OVERHEAD)];
static pthread_barrier_t together;

static void expect(int condition, const char *what) {
  if (!condition) printf("wrong: %s on rank %d\n", what, rank);
}

/* A message there and back, each turn with another number; the tag is the thread's. */
static void ping_pong(int tag, int count) {
  int *data = malloc(sizeof(int) * (size_t)count);
  for (int turn = 0; turn < turns; ++turn) {
    data[0] = data[count - 1] = 1000 * tag + turn;
    if (rank < partner) {
      MPI_Send(data, count, MPI_INT, partner, tag, MPI_COMM_WORLD);
      MPI_Recv(data, count, MPI_INT, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(data[0] == 1000 * tag + turn + 1 && data[count - 1] == data[0], "ping-pong");
    } else {
      MPI_Recv(data, count, MPI_INT, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ++data[0];
      data[count - 1] = data[0];
      MPI_Send(data, count, MPI_INT, partner, tag, MPI_COMM_WORLD);
    }
  }
  free(data);
}

/* From anyone, in the thread's own communicator. */
static void wildcards(int thread) {
  int number = -1;
  MPI_Status status;
  for (int turn = 0; turn < turns; ++turn) {
    int own = 10 * turn + rank;
    MPI_Request request;
    MPI_Isend(&own, 1, MPI_INT, partner, turn, comms[thread], &request);
    if (turn % 2 == 0) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[thread], &status);
      expect(status.MPI_SOURCE == partner && status.MPI_TAG == turn, "probe");
    }
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[thread], &status);
    expect(number == 10 * turn + partner && status.MPI_TAG == turn, "wildcard");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* Buffered messages, more than the attached buffer has room for at once. */
static void buffered(int thread) {
  for (int turn = 0; turn < turns; ++turn) {
    int numbers[3] = {turn, turn, turn}, got[3] = {-1, -1, -1};
    for (int i = 0; i < 3; ++i) MPI_Bsend(&numbers[i], 1, MPI_INT, partner, 200 + thread, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) {
      MPI_Recv(&got[i], 1, MPI_INT, partner, 200 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    expect(got[0] == turn && got[2] == turn, "buffered message");
    MPI_Barrier(comms[thread]);
  }
}

static void collectives(int thread) {
  for (int turn = 0; turn < turns; ++turn) {
    int sum = 0, own = turn + rank + thread;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comms[thread]);
    expect(sum == size * (turn + thread) + size * (size - 1) / 2, "allreduce");
    MPI_Bcast(&sum, 1, MPI_INT, turn % size, comms[thread]);
    MPI_Barrier(comms[thread]);
  }
}

static void *work(void *argument) {
  const int thread = (int)(long)argument;
  ping_pong(thread, 1);
  wildcards(thread);
  pthread_barrier_wait(&together);
  collectives(thread);
  ping_pong(thread, many);
  buffered(thread);
  return NULL;
}

/* One thread of a rank receives what another one of the same rank sends. */
static void *to_oneself(void *argument) {
  int number = 0;
  MPI_Recv(&number, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(number == 42, "message to oneself");
  return argument;
}

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  expect(provided == MPI_THREAD_MULTIPLE, "support of threads");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size % 2 != 0) {
    if (rank == 0) printf("wrong: an odd number of ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  partner = rank ^ 1;
  pthread_t thread[threads];
  pthread_create(&thread[0], NULL, to_oneself, NULL);
  const int number = 42;
  MPI_Ssend(&number, 1, MPI_INT, rank, 99, MPI_COMM_WORLD);
  pthread_join(thread[0], NULL);
  pthread_barrier_init(&together, NULL, threads);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  MPI_Buffer_attach(room, sizeof room);
  for (long i = 0; i < threads; ++i) pthread_create(&thread[i], NULL, work, (void *)i);
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  void *buffer = NULL;
  int bytes = 0;
  MPI_Buffer_detach(&buffer, &bytes);
  expect(buffer == room && bytes == (int)sizeof room, "detached buffer");
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
