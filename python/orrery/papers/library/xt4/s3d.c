/* SPDX-License-Identifier: BSD-3-Clause */
/* Combustion in the manner of S3D: derivatives of the eighth order, so that halos are four cells deep, and a Runge-Kutta
 * method of six stages. In each of them the gradients of velocity, temperature and species need halos, and the divergence
 * of the fluxes of each equation does: one field and one direction at a time, each face a message. All of them are played
 * by one field, which is carried by a wind.
 *
 *     s3d [STEPS] [CELLS]
 *
 * CELLS of a rank along each axis. Prints seconds: step. Checks the field against a wave that moved with the wind. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "phases.h"

enum { GHOST = 4, STAGES = 6, SPECIES = 11 };
enum { GRADIENTS = 3 + 1 + SPECIES, EQUATIONS = 1 + 3 + 1 + SPECIES - 1, FIELDS = GRADIENTS + EQUATIONS };
#define CELL_S 55e-6 /* of a step: Chen and others 2009, on the XT4 */
#define DT 0.2       /* of a cell that the wind crosses */

static const double wind[3] = {1, -0.5, 0.25};
/* Berland, Bogey and Bailly 2006 (doi:10.1016/j.compfluid.2005.04.003): six stages, fourth order, two registers. */
static const double keep[STAGES] = {0, -0.737101392796, -1.634740794341, -0.744739003780, -1.469897351522, -2.813971388035};
static const double add[STAGES] = {0.032918605146, 0.823256998200, 0.381530948900, 0.200092213184, 1.718581042715, 0.27};

static int n, wide; /* cells of this rank along an axis, without and with halos */
static int begin_at[3], neighbour[3][2];
static MPI_Comm grid;
static MPI_Datatype out[3][2], in[3][2];

static size_t at(int k, int j, int i) { return (((size_t)k + GHOST) * wide + j + GHOST) * wide + i + GHOST; }

static MPI_Datatype face(int axis, int from) {
  int sizes[3] = {wide, wide, wide}, parts[3] = {n, n, n}, starts[3] = {GHOST, GHOST, GHOST};
  MPI_Datatype type;
  parts[axis] = GHOST, starts[axis] = from;
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
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

/* The halos of a field that its derivative along an axis needs. */
static void exchange(double *u, int axis) {
  MPI_Request requests[4];
  for (int side = 0; side < 2; ++side)
    MPI_Irecv(u, 1, in[axis][side], neighbour[axis][side], side ^ 1, grid, &requests[side]);
  for (int side = 0; side < 2; ++side)
    MPI_Isend(u, 1, out[axis][side], neighbour[axis][side], side, grid, &requests[2 + side]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* Eighth-order central difference. */
static double slope(const double *u, ptrdiff_t step) {
  return 4.0 / 5 * (u[step] - u[-step]) - 1.0 / 5 * (u[2 * step] - u[-2 * step]) +
         4.0 / 105 * (u[3 * step] - u[-3 * step]) - 1.0 / 280 * (u[4 * step] - u[-4 * step]);
}

static void stage(double *u, double *change, int s) {
  const ptrdiff_t steps[3] = {(ptrdiff_t)wide * wide, wide, 1};
  for (int field = 0; field < FIELDS; ++field)
    for (int axis = 0; axis < 3; ++axis) exchange(u, axis);
  double *c = change;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++c) {
        double rate = 0;
        for (int axis = 0; axis < 3; ++axis) rate -= wind[axis] * slope(u + at(k, j, i), steps[axis]);
        *c = keep[s] * *c + DT * rate;
      }
  c = change;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++c) u[at(k, j, i)] += add[s] * *c;
  ORRERY_COMPUTE(CELL_S / STAGES * n * n * n);
}

/* A wave as long as the box of a rank, so that it is as well resolved on any number of ranks. */
static double wave(int k, int j, int i, double time) {
  const int cell[3] = {k, j, i};
  double phase = 0;
  for (int axis = 0; axis < 3; ++axis)
    phase += 2 * M_PI / n * (begin_at[axis] + cell[axis] - wind[axis] * time);
  return sin(phase);
}

static double furthest(double *u, double time, int set) {
  double far = 0;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        double *here = u + at(k, j, i), there = wave(k, j, i, time);
        if (set) *here = there;
        far = fmax(far, fabs(*here - there));
      }
  MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return far;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argument(argc, argv, 1, 1);
  n = argument(argc, argv, 2, 50), wide = n + 2 * GHOST;
  divide();
  double *u = calloc((size_t)wide * wide * wide, sizeof(double)), *change = calloc((size_t)n * n * n, sizeof(double));
  furthest(u, 0, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun_s = MPI_Wtime();
  for (int step = 0; step < steps; ++step)
    for (int s = 0; s < STAGES; ++s) stage(u, change, s);
  say("step", (MPI_Wtime() - begun_s) / steps);
  const double far = furthest(u, steps * DT, 0);
  return checked(far < 1e-5, "distance from the wave", far);
}
