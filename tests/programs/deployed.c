/* SPDX-License-Identifier: BSD-3-Clause
 * Collective calls whose results are known in closed form: of vectors of a few sizes, for all roots or the first, a
 * middle and the last one, of MPI's own types and others, in place and not, on the world and communicators made of it.
 *   deployed [ELEMENTS...]   prints "ok" where all are right */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong = 0;

/* What rank `from` has for rank `to` at position `i`. */
static int value(int from, int to, int i) { return from * 7919 + to * 31 + i * 3 + 1; }

static void expect(const char* what, int size, int root, int n, int is, int ought) {
  if (is == ought) return;
  if (wrong++ < 5) printf("%s, %d ranks, root %d, %d elements: %d instead of %d\n", what, size, root, n, is, ought);
}

/* Memory of n integers; with gaps every other one is not used. */
typedef struct {
  MPI_Datatype type;
  int stride;
} Layout;

static int* memory(Layout layout, int n) { return calloc((size_t)(n * layout.stride + 1), sizeof(int)); }

static void fill(int* at, Layout layout, int n, int from, int to) {
  for (int i = 0; i < n; ++i) at[i * layout.stride] = value(from, to, i);
}

static void bcast(MPI_Comm comm, int self, int size, int root, int n, Layout layout) {
  int* data = memory(layout, n);
  if (self == root) fill(data, layout, n, root, 0);
  MPI_Bcast(data, n, layout.type, root, comm);
  for (int i = 0; i < n; ++i) expect("bcast", size, root, n, data[i * layout.stride], value(root, 0, i));
  free(data);
}

static void gather(MPI_Comm comm, int self, int size, int root, int n, Layout layout, int in_place, int all) {
  int* own = memory(layout, n);
  int* every = memory(layout, n * size);
  const int gets = all || self == root;
  fill(own, layout, n, self, 0);
  if (in_place && gets) fill(every + self * n * layout.stride, layout, n, self, 0);
  const void* give = in_place && gets ? MPI_IN_PLACE : own;
  if (all) {
    MPI_Allgather(give, n, layout.type, every, n, layout.type, comm);
  } else {
    MPI_Gather(give, n, layout.type, every, n, layout.type, root, comm);
  }
  for (int from = 0; gets && from < size; ++from)
    for (int i = 0; i < n; ++i)
      expect(all ? "allgather" : "gather", size, root, n, every[(from * n + i) * layout.stride], value(from, 0, i));
  free(own);
  free(every);
}

static void scatter(MPI_Comm comm, int self, int size, int root, int n, Layout layout, int in_place) {
  int* own = memory(layout, n);
  int* every = memory(layout, n * size);
  for (int to = 0; to < size; ++to) fill(every + to * n * layout.stride, layout, n, root, to);
  const int keeps = in_place && self == root;
  MPI_Scatter(every, n, layout.type, keeps ? MPI_IN_PLACE : (void*)own, n, layout.type, root, comm);
  for (int i = 0; !keeps && i < n; ++i) expect("scatter", size, root, n, own[i * layout.stride], value(root, self, i));
  for (int to = 0; self == root && to < size; ++to)
    for (int i = 0; i < n; ++i)
      expect("scatter's root", size, root, n, every[(to * n + i) * layout.stride], value(root, to, i));
  free(own);
  free(every);
}

static void alltoall(MPI_Comm comm, int self, int size, int n, Layout layout, int in_place) {
  int* give = memory(layout, n * size);
  int* get = memory(layout, n * size);
  int* from = in_place ? get : give;
  for (int to = 0; to < size; ++to) fill(from + to * n * layout.stride, layout, n, self, to);
  MPI_Alltoall(in_place ? MPI_IN_PLACE : (void*)give, n, layout.type, get, n, layout.type, comm);
  for (int other = 0; other < size; ++other)
    for (int i = 0; i < n; ++i)
      expect("alltoall", size, 0, n, get[(other * n + i) * layout.stride], value(other, self, i));
  free(give);
  free(get);
}

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void reduction(MPI_Comm comm, int self, int size, int root, int n, MPI_Op op, int in_place, int all) {
  int* give = calloc((size_t)n + 1, sizeof(int));
  int* get = calloc((size_t)n + 1, sizeof(int));
  const int gets = all || self == root;
  for (int i = 0; i < n; ++i) give[i] = get[i] = value(self, 0, i);
  const void* from = in_place && gets ? MPI_IN_PLACE : give;
  if (all) {
    MPI_Allreduce(from, get, n, MPI_INT, op, comm);
  } else {
    MPI_Reduce(from, get, n, MPI_INT, op, root, comm);
  }
  for (int i = 0; gets && i < n; ++i) {
    int ought = 0;
    for (int rank = 0; rank < size; ++rank) ought = op == MPI_MAX ? value(rank, 0, i) : ought + value(rank, 0, i);
    expect(all ? "allreduce" : "reduce", size, root, n, get[i], ought);
  }
  free(give);
  free(get);
}

static void sums_of_doubles(MPI_Comm comm, int self, int size, int n) {
  double* give = malloc(sizeof(double) * ((size_t)n + 1));
  double* get = malloc(sizeof(double) * ((size_t)n + 1));
  for (int i = 0; i < n; ++i) give[i] = self + 0.25 * i; /* exact in any order */
  MPI_Allreduce(give, get, n, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n; ++i)
    expect("allreduce of doubles", size, 0, n, get[i] == size * (size - 1) / 2 + size * 0.25 * i, 1);
  free(give);
  free(get);
}

/* The last rank comes late, and nobody leaves before. */
static void barrier(MPI_Comm comm, int self, int size) {
  static int turn = 0;
  int late = 0;
  const int partner = (self + 1) % size, before = (self + size - 1) % size;
  MPI_Request request;
  MPI_Irecv(&late, 1, MPI_INT, before, 99, comm, &request);
  MPI_Send(&turn, 1, MPI_INT, partner, 99, comm);
  MPI_Barrier(comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect("barrier", size, 0, 0, late, turn);
  ++turn;
}

static void all_of_size(MPI_Comm comm, int n, Layout plain, Layout gaps, MPI_Op user) {
  int self, size;
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &size);
  const int roots[] = {0, size / 2, size - 1};
  for (int i = 0; i < (size < 3 ? size : 3); ++i) {
    const int root = roots[i];
    for (int in_place = 0; in_place < 2; ++in_place) {
      gather(comm, self, size, root, n, plain, in_place, 0);
      scatter(comm, self, size, root, n, plain, in_place);
      reduction(comm, self, size, root, n, MPI_SUM, in_place, 0);
    }
    bcast(comm, self, size, root, n, plain);
    bcast(comm, self, size, root, n, self % 2 ? gaps : plain); /* the same signature by other types */
    gather(comm, self, size, root, n, gaps, 0, 0);
    gather(comm, self, size, root, n, gaps, 1, 0);
    scatter(comm, self, size, root, n, gaps, 0);
  }
  for (int in_place = 0; in_place < 2; ++in_place) {
    gather(comm, self, size, 0, n, plain, in_place, 1);
    gather(comm, self, size, 0, n, gaps, in_place, 1);
    alltoall(comm, self, size, n, plain, in_place);
    reduction(comm, self, size, 0, n, MPI_SUM, in_place, 1);
    reduction(comm, self, size, 0, n, MPI_MAX, in_place, 1);
  }
  alltoall(comm, self, size, n, gaps, 0);
  reduction(comm, self, size, 0, n, user, 0, 1);
  sums_of_doubles(comm, self, size, n);
  barrier(comm, self, size);
}

int main(int argc, char** argv) {
  int self, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype spaced;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  MPI_Op user;
  MPI_Op_create(add, 1, &user);
  const Layout plain = {MPI_INT, 1}, gaps = {spaced, 2};
  MPI_Comm half, copy;
  MPI_Comm_split(MPI_COMM_WORLD, self % 2, -self, &half); /* in the opposite order */
  MPI_Comm_dup(half, &copy);
  for (int i = 1; i < argc; ++i) {
    const int n = atoi(argv[i]);
    all_of_size(MPI_COMM_WORLD, n, plain, gaps, user);
    all_of_size(half, n, plain, gaps, user);
    all_of_size(copy, n, plain, gaps, user);
  }
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  MPI_Op_free(&user);
  MPI_Type_free(&spaced);
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (self == 0) printf(all == 0 ? "ok\n" : "%d values are wrong\n", all);
  MPI_Finalize();
  return all != 0;
}
