/* SPDX-License-Identifier: BSD-3-Clause */
/* Combustion in the manner of S3D: fields on a 3-D grid, derivatives of the eighth order, so that halos are four cells
 * deep, and a Runge-Kutta method that exchanges them in each of its stages. The fields are carried by a wind.
 *
 *     s3d [STEPS] [CELLS]
 *
 * CELLS of a rank along each axis. Prints seconds: step. Checks the fields against waves that moved with the wind. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "phases.h"

enum { GHOST = 4, FIELDS = 5, STAGES = 5 };
#define STAGE_FLOPS 5000.0 /* of a cell: reactions of some ten species, transport, derivatives */
#define DT 0.2             /* of a cell that the wind crosses */

static const double wind[3] = {1, -0.5, 0.25};
/* Carpenter and Kennedy 1994 (NASA TM 109112): five stages, fourth order, two registers. */
static const double keep[STAGES] = {0, -0.4178904745, -1.192151694643, -1.697784692471, -1.514183444257};
static const double add[STAGES] = {0.1496590219993, 0.3792103129999, 0.8229550293869, 0.6994504559488, 0.1530572479681};

static int n, wide; /* cells of this rank along an axis, without and with halos */
static int begin_at[3], neighbour[3][2];
static MPI_Comm grid;
static MPI_Datatype out[3][2], in[3][2];

static size_t at(int f, int k, int j, int i) {
  return (((size_t)f * wide + k + GHOST) * wide + j + GHOST) * wide + i + GHOST;
}

static MPI_Datatype face(int axis, int from) {
  int sizes[4] = {FIELDS, wide, wide, wide}, parts[4] = {FIELDS, n, n, n}, starts[4] = {0, GHOST, GHOST, GHOST};
  MPI_Datatype type;
  parts[1 + axis] = GHOST, starts[1 + axis] = from;
  MPI_Type_create_subarray(4, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void divide(void) {
  int dims[3] = {0, 0, 0}, coords[3];
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, (int[]){1, 1, 1}, 0, &grid);
  MPI_Cart_coords(grid, rank, 3, coords);
  for (int axis = 0; axis < 3; ++axis) {
    begin_at[axis] = coords[axis] * n;
    MPI_Cart_shift(grid, axis, 1, &neighbour[axis][0], &neighbour[axis][1]);
    out[axis][0] = face(axis, GHOST), out[axis][1] = face(axis, n);
    in[axis][0] = face(axis, 0), in[axis][1] = face(axis, n + GHOST);
  }
}

/* The six faces at once: derivatives need no corners. */
static void exchange(double *u) {
  MPI_Request requests[12];
  for (int m = 0; m < 6; ++m)
    MPI_Irecv(u, 1, in[m / 2][m % 2], neighbour[m / 2][m % 2], m ^ 1, grid, &requests[m]);
  for (int m = 0; m < 6; ++m)
    MPI_Isend(u, 1, out[m / 2][m % 2], neighbour[m / 2][m % 2], m, grid, &requests[6 + m]);
  MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
}

/* Eighth-order central difference. */
static double slope(const double *u, ptrdiff_t step) {
  return 4.0 / 5 * (u[step] - u[-step]) - 1.0 / 5 * (u[2 * step] - u[-2 * step]) +
         4.0 / 105 * (u[3 * step] - u[-3 * step]) - 1.0 / 280 * (u[4 * step] - u[-4 * step]);
}

static void stage(double *u, double *change, int s) {
  const ptrdiff_t steps[3] = {(ptrdiff_t)wide * wide, wide, 1};
  double *c = change;
  for (int f = 0; f < FIELDS; ++f)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i, ++c) {
          double rate = 0;
          for (int axis = 0; axis < 3; ++axis) rate -= wind[axis] * slope(u + at(f, k, j, i), steps[axis]);
          *c = keep[s] * *c + DT * rate;
        }
  c = change;
  for (int f = 0; f < FIELDS; ++f)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i, ++c) u[at(f, k, j, i)] += add[s] * *c;
  compute(STAGE_FLOPS * n * n * n);
}

/* A wave as long as the box of a rank, so that it is as well resolved on any number of ranks. */
static double wave(int f, int k, int j, int i, double time) {
  const int cell[3] = {k, j, i};
  double phase = f;
  for (int axis = 0; axis < 3; ++axis)
    phase += 2 * M_PI / n * (begin_at[axis] + cell[axis] - wind[axis] * time);
  return sin(phase);
}

static double furthest(double *u, double time, int set) {
  double far = 0;
  for (int f = 0; f < FIELDS; ++f)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          double *here = u + at(f, k, j, i), there = wave(f, k, j, i, time);
          if (set) *here = there;
          far = fmax(far, fabs(*here - there));
        }
  MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return far;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argument(argc, argv, 1, 2);
  n = argument(argc, argv, 2, 20), wide = n + 2 * GHOST;
  divide();
  double *u = calloc(at(FIELDS, 0, 0, 0), sizeof(double)), *change = calloc((size_t)FIELDS * n * n * n, sizeof(double));
  furthest(u, 0, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun_s = MPI_Wtime();
  for (int step = 0; step < steps; ++step)
    for (int s = 0; s < STAGES; ++s) {
      exchange(u);
      stage(u, change, s);
    }
  say("step", (MPI_Wtime() - begun_s) / steps);
  const double far = furthest(u, steps * DT, 0);
  return checked(far < 1e-5, "distance from the waves", far);
}
