/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages and computation of LU, the simulated application of the NAS Parallel Benchmarks 3.4.
 *
 *     lu CLASS FLOPS_PER_S [STEPS]            CLASS: S, W, A, B, C; STEPS: time steps, default that of CLASS
 *
 * Written from the description of the benchmark and from what its messages are; it solves nothing. Each rank sends and
 * receives what a rank of NPB's LU does in its timed loop, in the same order: wavefronts through the planes of the cube
 * from one corner and back, then whole faces (Orrery's test `tests/python/test_papers_npb.py` compares both where NPB is at
 * hand). Computation is declared: the operations that NPB counts, by points, at FLOPS_PER_S; 37 % of them in either
 * wavefront, 26 % in the right-hand side.
 */
#include <mpi.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>

#include "npb.h"

enum { NORTH, SOUTH, WEST, EAST, VALUES = 5, TAG_NORTH = 2, TAG_SOUTH = 1, TAG_WEST = 4, TAG_EAST = 3 };

typedef struct {
  int points, steps;
} Class;

/* S, W, A, B, C. */
static const Class CLASSES[] = {{12, 50}, {33, 300}, {64, 250}, {102, 250}, {162, 250}};

/* The part of the cube that a rank has: all planes of nx by ny points, of which `inner` are computed. */
typedef struct {
  int neighbour[4];
  int nx, ny, planes, inner_x, inner_y;
  double wave_s, side_s; /* of one plane in a wavefront; of the right-hand side */
  double *out, *in;
} Rank;

static const Class *class_of(const char *name) { return &CLASSES[class_number("lu", name)]; }

static int part(int whole, int parts, int index) { return whole / parts + (index < whole % parts); }

/* Operations of a time step, as NPB counts them. */
static double operations(const Class *one) {
  const double n = one->points;
  return 1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010.0;
}

static Rank place(const Class *one, double flops_per_s) {
  int size, self;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  int columns = 1;
  for (int divisor = 1; divisor * divisor <= size; ++divisor)
    if (size % divisor == 0) columns = divisor;
  const int rows = size / columns, row = self % rows, column = self / rows, points = one->points;
  Rank r = {.neighbour = {row > 0 ? self - 1 : MPI_PROC_NULL, row < rows - 1 ? self + 1 : MPI_PROC_NULL,
                          column > 0 ? self - rows : MPI_PROC_NULL, column < columns - 1 ? self + rows : MPI_PROC_NULL},
            .nx = part(points, rows, row),
            .ny = part(points, columns, column),
            .planes = points};
  if (r.nx < 3 || r.ny < 3) fail("lu", "too many ranks for this class");
  r.inner_x = r.nx - (row == 0) - (row == rows - 1);
  r.inner_y = r.ny - (column == 0) - (column == columns - 1);
  const double share = (double)r.inner_x * r.inner_y / ((points - 2.0) * (points - 2.0));
  r.wave_s = 0.37 * operations(one) * share / (points - 2) / flops_per_s;
  r.side_s = 0.26 * operations(one) * share / flops_per_s;
  const size_t face = 2u * VALUES * (size_t)(r.nx > r.ny ? r.nx : r.ny) * (size_t)points;
  r.out = calloc(face, sizeof(double));
  r.in = calloc(face, sizeof(double));
  if (!r.out || !r.in) fail("lu", "no memory");
  return r;
}

static void receive(const Rank *r, int side, int tag, int points) {
  if (r->neighbour[side] == MPI_PROC_NULL) return;
  MPI_Recv(r->in, VALUES * points, MPI_DOUBLE, r->neighbour[side], tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(const Rank *r, int side, int tag, int points) {
  if (r->neighbour[side] == MPI_PROC_NULL) return;
  MPI_Send(r->out, VALUES * points, MPI_DOUBLE, r->neighbour[side], tag, MPI_COMM_WORLD);
}

static void wavefronts(const Rank *r) {
  for (int plane = 2; plane < r->planes; ++plane) {
    receive(r, NORTH, TAG_NORTH, r->inner_y);
    receive(r, WEST, TAG_WEST, r->inner_x);
    ORRERY_COMPUTE(r->wave_s);
    send(r, SOUTH, TAG_NORTH, r->inner_y);
    send(r, EAST, TAG_WEST, r->inner_x);
  }
  for (int plane = 2; plane < r->planes; ++plane) {
    receive(r, SOUTH, TAG_SOUTH, r->inner_y);
    receive(r, EAST, TAG_EAST, r->inner_x);
    ORRERY_COMPUTE(r->wave_s);
    send(r, NORTH, TAG_SOUTH, r->inner_y);
    send(r, WEST, TAG_EAST, r->inner_x);
  }
}

/* Two layers of a face, of all planes, from one side to the other. */
static void pass_face(const Rank *r, int from, int to, int tag, int points) {
  const int count = 2 * VALUES * points * r->planes;
  MPI_Request request = MPI_REQUEST_NULL;
  if (r->neighbour[from] != MPI_PROC_NULL)
    MPI_Irecv(r->in, count, MPI_DOUBLE, r->neighbour[from], tag, MPI_COMM_WORLD, &request);
  if (r->neighbour[to] != MPI_PROC_NULL)
    MPI_Send(r->out, count, MPI_DOUBLE, r->neighbour[to], tag, MPI_COMM_WORLD);
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void right_hand_side(const Rank *r) {
  pass_face(r, NORTH, SOUTH, TAG_NORTH, r->ny);
  pass_face(r, SOUTH, NORTH, TAG_SOUTH, r->ny);
  ORRERY_COMPUTE(r->side_s / 3);
  pass_face(r, WEST, EAST, TAG_WEST, r->nx);
  pass_face(r, EAST, WEST, TAG_EAST, r->nx);
  ORRERY_COMPUTE(r->side_s * 2 / 3);
}

static void norm(void) {
  double own[VALUES] = {0}, all[VALUES];
  MPI_Allreduce(own, all, VALUES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) fail("lu", "lu CLASS FLOPS_PER_S [STEPS]");
  const Class *one = class_of(argv[1]);
  const double flops_per_s = atof(argv[2]);
  if (!(flops_per_s > 0)) fail("lu", "FLOPS_PER_S is a number above 0");
  const int steps = argc > 3 ? atoi(argv[3]) : one->steps;
  Rank r = place(one, flops_per_s);
  MPI_Barrier(MPI_COMM_WORLD);
  double time_s = -MPI_Wtime(), longest_s;
  for (int step = 0; step < steps; ++step) {
    wavefronts(&r);
    if (step == one->steps - 1) norm();
    right_hand_side(&r);
  }
  norm();
  time_s += MPI_Wtime();
  MPI_Allreduce(&time_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int self;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (self == 0) printf("steps: %.9g s\n", longest_s);
  free(r.out);
  free(r.in);
  return MPI_Finalize();
}
