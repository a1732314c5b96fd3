/* SPDX-License-Identifier: BSD-3-Clause
 * Collectives whose ranks give the same type signature with different counts and datatypes, as MPI allows (MPI-4.1,
 * section 6.4 and after): 5,000 integers, or one element of a type that holds them, or 50 elements of 100.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { length = 5000, starts = 3 };

static int rank, size, root;
static MPI_Datatype all, some;

/* The datatype of a rank that takes turns with others, and how many of it the vector is. */
static MPI_Datatype type_of(int turn) { return turn % 3 == 0 ? MPI_INT : turn % 3 == 1 ? all : some; }
static int count_of(int turn) { return turn % 3 == 0 ? length : turn % 3 == 1 ? 1 : 50; }

static void fill(int *block, int from) {
  for (int i = 0; i < length; ++i) block[i] = 100000 * from + i;
}

static int is_from(const int *block, int from) {
  for (int i = 0; i < length; ++i)
    if (block[i] != 100000 * from + i) return 0;
  return 1;
}

static void broadcasts(int turn, int *block) {
  MPI_Request request;
  for (root = 0; root < size; root += size - 1) {
    memset(block, 0, length * sizeof(int));
    if (rank == root) fill(block, root);
    MPI_Bcast(block, count_of(turn), type_of(turn), root, MPI_COMM_WORLD);
    CHECK(is_from(block, root));
    memset(block, 0, length * sizeof(int));
    if (rank == root) fill(block, root);
    MPI_Ibcast(block, count_of(turn), type_of(turn), root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(is_from(block, root));
  }
  MPI_Bcast_init(block, count_of(turn), type_of(turn), 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int start = 0; start < starts; ++start) {
    if (rank == 0) fill(block, start);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(is_from(block, start));
  }
  MPI_Request_free(&request);
}

static void blocks(int turn, int *block, int *every) {
  int *counts = malloc(2 * size * sizeof(int)), *places = counts + size;
  const int other = turn + 1; /* another type for what comes than for what goes */
  for (int i = 0; i < size; ++i) {
    counts[i] = count_of(other);
    places[i] = i * count_of(other);
  }
  fill(block, rank);
  memset(every, 0, size * length * sizeof(int));
  MPI_Gather(block, count_of(turn), type_of(turn), every, count_of(other), type_of(other), 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) CHECK(is_from(every + i * length, i));
  memset(block, 0, length * sizeof(int));
  MPI_Scatter(every, count_of(other), type_of(other), block, count_of(turn), type_of(turn), 0, MPI_COMM_WORLD);
  CHECK(is_from(block, rank));
  memset(every, 0, size * length * sizeof(int));
  MPI_Allgather(block, count_of(turn), type_of(turn), every, count_of(other), type_of(other), MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(is_from(every + i * length, i));
  memset(every, 0, size * length * sizeof(int));
  MPI_Allgatherv(block, count_of(turn), type_of(turn), every, counts, places, type_of(other), MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(is_from(every + i * length, i));
  free(counts);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_contiguous(length, MPI_INT, &all);
  MPI_Type_commit(&all);
  MPI_Type_contiguous(100, MPI_INT, &some);
  MPI_Type_commit(&some);
  int *block = malloc(length * sizeof(int)), *every = malloc(size * length * sizeof(int));
  for (int shift = 0; shift < 3; ++shift) {
    broadcasts(rank + shift, block);
    blocks(rank + shift, block, every);
  }
  if (rank == 0) printf("all as they should be\n");
  free(block);
  free(every);
  MPI_Type_free(&all);
  MPI_Type_free(&some);
  MPI_Finalize();
  return 0;
}
