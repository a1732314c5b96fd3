/* SPDX-License-Identifier: BSD-3-Clause
 * Calls that the library of collectives leaves to MPI for different reasons; prints "ok".
 *   deployed_left           4 ranks: sizes and communicators without rules, operations, types
 *   deployed_left threads   asks for MPI_THREAD_MULTIPLE
 *   deployed_left differs   reduces by an operation whose results are never the same */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operand of lower ranks: associative, and the order of the operands shows. */
static void left(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] = ((int*)in)[i];
}

/* No operation at all: what it gives is never the same. */
static void ever_more(void* in, void* inout, int* length, MPI_Datatype* type) {
  static int more = 0;
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i] + ++more;
}

static void sum_of_pairs(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < 2 * *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int provided = MPI_THREAD_SINGLE, self, size, wrong = 0;
  if (strcmp(what, "threads") == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int few[2] = {self, self}, many[1000], sums[2] = {0, 0};
  for (int i = 0; i < 1000; ++i) many[i] = self;
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, self / 2, self, &pair);
  MPI_Bcast(few, 2, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Bcast(many, 1000, MPI_INT, 1, MPI_COMM_WORLD);
  wrong += few[0] != 1 || many[999] != 1;
  few[0] = self;
  MPI_Bcast(few, 1, MPI_INT, 0, pair);
  wrong += few[0] != self / 2 * 2;
  few[0] = 1;
  MPI_Reduce(few, sums, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  wrong += self == 0 && sums[0] != size;

  MPI_Op op, pairs;
  const int differs = strcmp(what, "differs") == 0;
  MPI_Op_create(differs ? ever_more : left, differs, &op);
  MPI_Op_create(sum_of_pairs, 1, &pairs);
  MPI_Datatype two;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  few[0] = few[1] = self + 1;
  if (differs) {
    MPI_Reduce(few, sums, 2, MPI_INT, op, 0, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(few, sums, 1, MPI_INT, op, MPI_COMM_WORLD);
    wrong += sums[0] != 1;
    MPI_Allreduce(few, sums, 1, two, pairs, MPI_COMM_WORLD);
    wrong += sums[1] != size * (size + 1) / 2;
  }
  MPI_Type_free(&two);
  MPI_Op_free(&pairs);
  MPI_Op_free(&op);
  MPI_Comm_free(&pair);
  if (wrong) printf("rank %d: %d results are wrong\n", self, wrong);
  if (self == 0 && !wrong) puts("ok");
  MPI_Finalize();
  return wrong;
}
