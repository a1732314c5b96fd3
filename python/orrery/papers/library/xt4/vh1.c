/* SPDX-License-Identifier: BSD-3-Clause */
/* Hydrodynamics in the manner of VH-1: a step is a sweep along each axis, and between sweeps the grid is transposed by
 * alltoalls among the ranks of a row or a column, so that every rank has whole lines.
 *
 *     vh1 [STEPS] [CELLS]
 *
 * Prints seconds: step. CELLS along each axis are to be a multiple of rows and columns of ranks. Checks that mass and
 * energy stay, that momentum stays nothing, and that density and pressure are above it. */
#include <math.h>
#include <string.h>

#include "phases.h"

enum { DENSITY, MOMENTUM, ENERGY = 4, VARIABLES };
#define SWEEP_FLOPS 800.0 /* of a cell in a sweep of the piecewise parabolic method */
#define GAMMA 1.4
#define COURANT 0.3

/* The ranks with which lines are exchanged, and where the cells are that go to them: [variable][other][line][cell]. */
typedef struct {
  MPI_Comm ranks;
  int parts;            /* how many; each has n / parts lines, and gets n / parts cells of each */
  int others;           /* cells along the axis that stays as it is */
  int per_other, per_line;
} Exchange;

static int n, rows, columns;
static double *cells, *turned, *outgoing, *incoming;

static size_t volume(void) { return (size_t)n * (n / rows) * (n / columns); }

enum Way { PACK, UNPACK };

/* Between `cells` and a buffer that is ordered by the rank to which, or from which, its parts go. */
static void lines(const Exchange *e, double *buffer, enum Way way) {
  const int m = n / e->parts;
  size_t at = 0;
  for (int r = 0; r < e->parts; ++r)
    for (int v = 0; v < VARIABLES; ++v)
      for (int o = 0; o < e->others; ++o)
        for (int a = 0; a < m; ++a, at += m) {
          double *part = cells + v * volume() + (size_t)o * e->per_other + (size_t)a * e->per_line + r * m;
          if (way == PACK) memcpy(buffer + at, part, m * sizeof(double));
          if (way == UNPACK) memcpy(part, buffer + at, m * sizeof(double));
        }
}

/* The same for `turned`: [variable][other][own cell of the lines][line]. */
static void across(const Exchange *e, double *buffer, enum Way way) {
  const int m = n / e->parts;
  size_t at = 0;
  for (int r = 0; r < e->parts; ++r)
    for (int v = 0; v < VARIABLES; ++v)
      for (int o = 0; o < e->others; ++o)
        for (int a = 0; a < m; ++a)
          for (int b = 0; b < m; ++b, ++at) {
            double *cell = turned + v * volume() + ((size_t)o * m + b) * n + r * m + a;
            if (way == PACK) buffer[at] = *cell;
            if (way == UNPACK) *cell = buffer[at];
          }
}

static void swap(const Exchange *e) {
  const int count = (int)(VARIABLES * volume() / e->parts);
  MPI_Alltoall(outgoing, count, MPI_DOUBLE, incoming, count, MPI_DOUBLE, e->ranks);
}

typedef struct {
  double of[VARIABLES];
} State;

static double pressure(State s) {
  const double *u = s.of + MOMENTUM;
  return (GAMMA - 1) * (s.of[ENERGY] - (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / (2 * s.of[DENSITY]));
}

static double speed(State s, int axis) {
  return fabs(s.of[MOMENTUM + axis] / s.of[DENSITY]) + sqrt(GAMMA * pressure(s) / s.of[DENSITY]);
}

static State flux(State s, int axis) {
  const double u = s.of[MOMENTUM + axis] / s.of[DENSITY], p = pressure(s);
  State f;
  for (int v = 0; v < VARIABLES; ++v) f.of[v] = u * s.of[v];
  f.of[MOMENTUM + axis] += p, f.of[ENERGY] += u * p;
  return f;
}

static State at(const double *where, size_t cell) {
  State s;
  for (int v = 0; v < VARIABLES; ++v) s.of[v] = where[v * volume() + cell];
  return s;
}

/* One sweep along the lines of `where`, which are periodic: Rusanov's flux through each face. */
static void sweep(double *where, int axis, double dt_per_cell) {
  State *through = malloc((n + 1) * sizeof(State));
  for (size_t line = 0; line < volume(); line += n) {
    for (int i = 0; i < n; ++i) {
      const State left = at(where, line + (i + n - 1) % n), right = at(where, line + i);
      const State a = flux(left, axis), b = flux(right, axis);
      const double fastest = fmax(speed(left, axis), speed(right, axis));
      for (int v = 0; v < VARIABLES; ++v)
        through[i].of[v] = (a.of[v] + b.of[v] - fastest * (right.of[v] - left.of[v])) / 2;
    }
    through[n] = through[0];
    for (int v = 0; v < VARIABLES; ++v)
      for (int i = 0; i < n; ++i)
        where[v * volume() + line + i] -= dt_per_cell * (through[i + 1].of[v] - through[i].of[v]);
  }
  free(through);
  compute(SWEEP_FLOPS * (double)volume());
}

static void sweep_across(const Exchange *e, int axis, double dt_per_cell) {
  lines(e, outgoing, PACK), swap(e), across(e, incoming, UNPACK);
  sweep(turned, axis, dt_per_cell);
  across(e, outgoing, PACK), swap(e), lines(e, incoming, UNPACK);
}

/* The longest step, in cells, that no wave outruns. */
static double longest(void) {
  double mine = 0, all;
  for (size_t c = 0; c < volume(); ++c)
    for (int axis = 0; axis < 3; ++axis) mine = fmax(mine, speed(at(cells, c), axis));
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return COURANT / all;
}

static double total(int v) {
  double sum = 0;
  for (size_t c = 0; c < volume(); ++c) sum += cells[v * volume() + c];
  return sum_of(sum);
}

/* A gas at rest, with a hot ball in the middle. */
static void begin(int y, int z) {
  for (size_t c = 0; c < volume(); ++c) {
    const int i = (int)(c % n), j = (int)(c / n % (n / rows)) + y * (n / rows), k = (int)(c / n / (n / rows)) + z * (n / columns);
    const double x[3] = {(i + 0.5) / n - 0.5, (j + 0.5) / n - 0.5, (k + 0.5) / n - 0.5};
    const int hot = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 0.04;
    cells[DENSITY * volume() + c] = 1;
    cells[ENERGY * volume() + c] = (hot ? 10 : 1) / (GAMMA - 1);
  }
}

static int good(double mass, double energy, double *found) {
  *found = fmax(fabs(total(DENSITY) / mass - 1), fabs(total(ENERGY) / energy - 1));
  for (int axis = 0; axis < 3; ++axis) *found = fmax(*found, fabs(total(MOMENTUM + axis)) / mass);
  int positive = 1;
  for (size_t c = 0; c < volume(); ++c) positive &= cells[c] > 0 && pressure(at(cells, c)) > 0;
  MPI_Allreduce(MPI_IN_PLACE, &positive, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return positive && *found < 1e-10;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argument(argc, argv, 1, 1);
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  n = argument(argc, argv, 2, 128), rows = dims[0], columns = dims[1];
  if (n % rows || n % columns) return checked(0, "cells that rows and columns do not divide", n);
  const int y = rank % rows, z = rank / rows, high = n / rows, deep = n / columns;
  Exchange along_y = {.parts = rows, .others = deep, .per_other = high * n, .per_line = n};
  Exchange along_z = {.parts = columns, .others = high, .per_other = n, .per_line = high * n};
  MPI_Comm_split(MPI_COMM_WORLD, z, y, &along_y.ranks);
  MPI_Comm_split(MPI_COMM_WORLD, y, z, &along_z.ranks);
  double **all[] = {&cells, &turned, &outgoing, &incoming};
  for (int i = 0; i < 4; ++i) *all[i] = calloc(VARIABLES * volume(), sizeof(double));
  begin(y, z);
  const double mass = total(DENSITY), energy = total(ENERGY);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun_s = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    const double dt = longest();
    sweep(cells, 0, dt);
    sweep_across(&along_y, 1, dt);
    sweep_across(&along_z, 2, dt);
  }
  say("step", (MPI_Wtime() - begun_s) / steps);
  double found;
  const int fine = good(mass, energy, &found);
  return checked(fine, "mass, energy or momentum", found);
}
