/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages and computation of CG, the conjugate gradient of the NAS Parallel Benchmarks 3.4.
 *
 *     cg CLASS FLOPS_PER_S [ITERATIONS]       CLASS: S, W, A, B, C; ITERATIONS: of the power method, default that of CLASS
 *
 * Written from the description of the benchmark and from what its messages are; it multiplies no matrix. Each rank sends
 * and receives what a rank of NPB's CG does in its timed loop: the same partners, tags, bytes and order (Orrery's test
 * `tests/python/test_papers_npb.py` compares both where NPB is at hand). NPB has one more iteration before its clock starts.
 * Computation is declared: the operations that NPB counts, evenly over the ranks, at FLOPS_PER_S.
 */
#include <mpi.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>

#include "npb.h"

enum { INNER = 25, MOST_STAGES = 16 };

typedef struct {
  long rows;            /* of the matrix, and columns */
  int nonzeros;         /* parameter that the nonzeros of a row come from */
  int iterations;
} Class;

/* S, W, A, B, C. */
static const Class CLASSES[] = {{1400, 7, 15},    {7000, 8, 15},    {14000, 11, 15},
                                {75000, 13, 75}, {150000, 15, 75}};

/* Where a rank stands in the grid of ranks, whom it exchanges with, and how much. Stages add up partial sums of a row of
   ranks; the transposition gives them to the ranks whose columns they are. Counts are of doubles. */
typedef struct {
  int stages, partner[MOST_STAGES], transposed;
  int sent[MOST_STAGES], received[MOST_STAGES], sent_transposed, received_transposed;
  double matrix_s, vector_s;        /* of one multiplication; of the vectors of one inner iteration */
  double *out, *in;
} Rank;

static const Class *class_of(const char *name) { return &CLASSES[class_number("cg", name)]; }

/* Size of part `index` of `parts` of `whole`; the first parts take what is left over. */
static int part(long whole, int parts, int index) { return (int)(whole / parts + (index < whole % parts)); }

static Rank place(const Class *one, double flops_per_s) {
  int size, self, log2 = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  while ((1 << (log2 + 1)) <= size) ++log2;
  if (1 << log2 != size) fail("cg", "the number of ranks is a power of two");
  const int rows = 1 << log2 / 2, columns = size / rows;
  const int row = self / columns, column = self % columns, square = rows == columns;

  const int own_rows = part(one->rows, rows, row);
  const int half = (own_rows + 1) / 2; /* two columns of ranks share the columns that a row of ranks has */
  const int pair_columns = part(one->rows, square ? columns : columns / 2, square ? column : column / 2);
  Rank r = {0};
  r.transposed = square ? self % rows * rows + self / rows : 2 * (self / 2 % rows * rows + self / 2 / rows) + self % 2;
  r.sent_transposed = square ? own_rows : self % 2 == 0 ? half : own_rows - half;
  r.received_transposed = square ? pair_columns : self % 2 == 0 ? (pair_columns + 1) / 2 : pair_columns / 2;
  if (one->rows % columns == 0) r.received_transposed = (int)(one->rows / columns);
  for (int span = columns; span > 1; span /= 2) {
    const int stage = r.stages++;
    r.partner[stage] = row * columns + (column + span / 2) % span + column / span * span;
    r.sent[stage] = r.sent_transposed;
    r.received[stage] = square ? own_rows : r.sent_transposed;
  }
  if (!square) r.sent[r.stages - 1] = own_rows - r.sent_transposed;
  const double nonzeros = one->nonzeros * (one->nonzeros + 1.0);
  r.matrix_s = 2.0 * (double)one->rows * nonzeros / size / flops_per_s;
  r.vector_s = 2.0 * (double)one->rows * 5 / size / flops_per_s;
  r.out = calloc((size_t)own_rows + 2, sizeof(double));
  r.in = calloc((size_t)own_rows + (size_t)r.received_transposed + 2, sizeof(double));
  if (!r.out || !r.in) fail("cg", "no memory");
  return r;
}

static void exchange(const Rank *r, int partner, int tag, int sent, int received) {
  MPI_Request request;
  MPI_Irecv(r->in, received, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &request);
  MPI_Send(r->out, sent, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The sum of `count` numbers over a row of ranks. */
static void sum_over_row(const Rank *r, int count) {
  for (int stage = 0; stage < r->stages; ++stage) exchange(r, r->partner[stage], stage + 1, count, count);
}

static void multiply(const Rank *r) {
  ORRERY_COMPUTE(r->matrix_s);
  for (int stage = r->stages - 1; stage >= 0; --stage)
    exchange(r, r->partner[stage], stage + 1, r->sent[stage], r->received[stage]);
  if (r->stages > 0) exchange(r, r->transposed, 1, r->sent_transposed, r->received_transposed);
}

static void conjugate_gradient(const Rank *r) {
  sum_over_row(r, 1);
  for (int i = 0; i < INNER; ++i) {
    multiply(r);
    ORRERY_COMPUTE(r->vector_s * 0.2);
    sum_over_row(r, 1);
    ORRERY_COMPUTE(r->vector_s * 0.6);
    sum_over_row(r, 1);
    ORRERY_COMPUTE(r->vector_s * 0.2);
  }
  multiply(r);
  sum_over_row(r, 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) fail("cg", "cg CLASS FLOPS_PER_S [ITERATIONS]");
  const Class *one = class_of(argv[1]);
  const double flops_per_s = atof(argv[2]);
  if (!(flops_per_s > 0)) fail("cg", "FLOPS_PER_S is a number above 0");
  const int iterations = argc > 3 ? atoi(argv[3]) : one->iterations;
  Rank r = place(one, flops_per_s);
  int timers = 0;
  MPI_Bcast(&timers, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  double time_s = -MPI_Wtime(), longest_s;
  for (int i = 0; i < iterations; ++i) {
    conjugate_gradient(&r);
    sum_over_row(&r, 2);
  }
  time_s += MPI_Wtime();
  MPI_Reduce(&time_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int self;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (self == 0) printf("iterations: %.9g s\n", longest_s);
  free(r.out);
  free(r.in);
  return MPI_Finalize();
}
