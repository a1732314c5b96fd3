/* SPDX-License-Identifier: BSD-3-Clause
 * One-sided communication whose outcome depends on the order in which ranks reach rank 0: tickets, locks, sums of
 * floating-point numbers, the last of several replacements. Ranks compute for a while that differs from run to run on
 * the host, but not in the simulation. Rank 0 prints what came out. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 20, RANKS = 16 };

struct memory {
  long ticket;
  long holders[RANKS * ROUNDS];
  double sum;
  long last;
  long entered;
  long log[RANKS * ROUNDS];
};

static int rank, size;

static void dawdle(void) {
  volatile double x = 1;
  for (long i = 0; i < (getpid() % 17) * 10000L; ++i) x = x * 1.0000001;
}

static MPI_Aint at(const struct memory *memory, const void *member) {
  return (const char *)member - (const char *)memory;
}

/* A ticket says where to write; the message before it puts ranks apart in simulated time. */
static void take_tickets(struct memory *memory, MPI_Win win) {
  static char data[40000];
  const long one = 1, self = rank;
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < ROUNDS; ++round) {
    long ticket = -1;
    dawdle();
    MPI_Sendrecv(data, (rank * 7919 + round * 104729) % 40000, MPI_BYTE, (rank + 1) % size, 0, data, sizeof data,
                 MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, at(memory, &memory->ticket), MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Put(&self, 1, MPI_LONG, 0, at(memory, &memory->holders[ticket]), 1, MPI_LONG, win);
  }
  MPI_Win_unlock_all(win);
}

/* Sums and replacements of all ranks in one epoch. */
static void accumulate(struct memory *memory, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int round = 0; round < ROUNDS; ++round) {
    const double share = 1.0 / (3 + rank * ROUNDS + round);
    const long mark = rank * ROUNDS + round;
    dawdle();
    MPI_Accumulate(&share, 1, MPI_DOUBLE, 0, at(memory, &memory->sum), 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Accumulate(&mark, 1, MPI_LONG, 0, at(memory, &memory->last), 1, MPI_LONG, MPI_REPLACE, win);
  }
  MPI_Win_fence(0, win);
}

/* Each holder of the lock reads a counter, dawdles, and writes it back: two at once would lose an entry. */
static void enter(struct memory *memory, MPI_Win win) {
  const long self = rank;
  for (int round = 0; round < ROUNDS; ++round) {
    long entered;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&entered, 1, MPI_LONG, 0, at(memory, &memory->entered), 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    dawdle();
    MPI_Put(&self, 1, MPI_LONG, 0, at(memory, &memory->log[entered]), 1, MPI_LONG, win);
    ++entered;
    MPI_Put(&entered, 1, MPI_LONG, 0, at(memory, &memory->entered), 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
  }
}

static void print(const char *what, const long *values) {
  printf("%s", what);
  for (int i = 0; i < size * ROUNDS; ++i) printf(" %ld", values[i]);
  printf("\n");
}

int main(int argc, char **argv) {
  static struct memory memory;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  take_tickets(&memory, win);
  accumulate(&memory, win);
  enter(&memory, win);
  MPI_Win_free(&win);
  if (rank == 0) {
    print("tickets", memory.holders);
    printf("sum %.17g\nlast %ld\n", memory.sum, memory.last);
    printf("entered %ld\n", memory.entered);
    print("log", memory.log);
  }
  MPI_Finalize();
  return 0;
}
