/* SPDX-License-Identifier: BSD-3-Clause
 * A run to watch: 60 turns of an allreduce of 8 bytes, a broadcast of 20,000, a message to the next rank, and an
 * alltoallv whose blocks differ. "late": in each turn rank 1 computes once rank 0 is about to come to the next call, for
 * 50 ms or three times as long as its own calls took. "killed": rank 1 kills itself behind turn 40. "several": messages
 * from both neighbours are awaited at once. "often": another 30,000 allreduces. "any": receives of any tag, a
 * non-blocking collective. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { turns = 60, large = 20000, most = 16 };
static int rank, size;
static char out[large], in[2][large];

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) continue;
}

/* How many turns rank 0 has made, in memory that both ranks see. */
static volatile int* turns_of_first(void) {
  const int file = open("watched.turns", O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, sizeof(int)) != 0) perror("watched.turns");
  return mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static void be_late(volatile int* of_first, int turn, double in_calls_s) {
  if (rank == 0) *of_first = turn;
  if (rank != 1) return;
  while (*of_first < turn) usleep(100);
  compute(3 * in_calls_s > 50e-3 ? 3 * in_calls_s : 50e-3);
}

static void unequal(void) {
  static int counts[most], places[most];
  for (int i = 0; i < size; ++i) counts[i] = 1 + (rank + i) % 3;
  for (int i = 0; i < size; ++i) places[i] = 8 * i;
  MPI_Alltoallv(out, counts, places, MPI_CHAR, in[0], counts, places, MPI_CHAR, MPI_COMM_WORLD);
}

static void turn(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (sum != size * (size - 1) / 2.0) printf("wrong sum %g\n", sum);
  MPI_Bcast(out, large, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank % 2 == 0) {
    MPI_Send(out, 1000, MPI_CHAR, next, 5, MPI_COMM_WORLD);
    MPI_Recv(in[0], large, MPI_CHAR, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in[0], large, MPI_CHAR, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 1000, MPI_CHAR, next, 5, MPI_COMM_WORLD);
  }
  unequal();
}

static void several(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  MPI_Irecv(in[0], large, MPI_CHAR, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[1], large, MPI_CHAR, next, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, 3000, MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out, 3000, MPI_CHAR, before, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, statuses);
}

static void any(MPI_Comm row) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[1];
  int number = rank;
  MPI_Isend(&number, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv(&number, 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Iallreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, row, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in[0], 100, MPI_CHAR, row);
}

static void often(void) {
  for (int i = 0; i < 30000; ++i) {
    double mine = rank, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  MPI_Comm row;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
  volatile int* of_first = strcmp(how, "late") == 0 ? turns_of_first() : NULL;
  for (int i = 0; i < turns; ++i) {
    const double begin = MPI_Wtime();
    turn();
    if (of_first != NULL) be_late(of_first, i + 1, MPI_Wtime() - begin);
    if (strcmp(how, "several") == 0) several();
    if (strcmp(how, "any") == 0) any(row);
    if (strcmp(how, "killed") == 0 && rank == 1 && i == 40) raise(SIGKILL);
  }
  if (strcmp(how, "often") == 0) often();
  MPI_Finalize();
  if (rank == 0) printf("ok\n");
  return 0;
}
