/* SPDX-License-Identifier: BSD-3-Clause */
/* An ocean in the manner of POP: a baroclinic phase of 3-D fields with halos, and a barotropic phase that solves for the
 * surface pressure by conjugate gradients, with two allreduces of a number in each iteration.
 *
 *     pop [STEPS] [NX] [NY] [LEVELS]
 *
 * Prints seconds: step, baroclinic, barotropic. Checks that the tracers' sums stay, and the residual of the solution. */
#include <math.h>
#include <string.h>

#include "phases.h"

enum { GHOST = 2, FIELDS = 4, MOST_ITERATIONS = 500 };
#define BAROCLINIC_FLOPS 1000.0 /* of a cell in a step */
#define SOLVER_FLOPS 32.0       /* of a column in an iteration: operator 20, two products 4, three updates 6, scaling 2 */
#define CELL_M 1e5
#define IMPLICIT (1 / (9.8 * 3600.0 * 3600.0)) /* 1 / (g tau^2), a step of an hour */
#define TOLERANCE 1e-8

static int nx, ny, levels;           /* of the whole grid */
static int mx, my, west, south, row; /* of this rank: its cells, the first of them, and from one row to the next */
static int neighbour[4];             /* to the west, east, south, north */
static MPI_Comm grid;
static double *depth;                /* at the corners south-west of cells; 0: land */

#define AT(i, j) (((j) + GHOST) * row + (i) + GHOST)

typedef struct {
  MPI_Datatype out[4], in[4];
} Halo;

static MPI_Datatype block(int k, int j, int i, int wide_j, int wide_i) {
  MPI_Datatype type;
  MPI_Type_create_subarray(3, (int[]){k, my + 2 * GHOST, row}, (int[]){k, wide_j, wide_i}, (int[]){0, j, i},
                           MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/* East and west of own rows first, then north and south with their corners. */
static Halo halo_of(int k) {
  const int last_x[2] = {GHOST, mx}, ghost_x[2] = {0, GHOST + mx}, last_y[2] = {GHOST, my}, ghost_y[2] = {0, GHOST + my};
  Halo halo;
  for (int s = 0; s < 2; ++s) {
    halo.out[s] = block(k, GHOST, last_x[s], my, GHOST);
    halo.in[s] = block(k, GHOST, ghost_x[s], my, GHOST);
    halo.out[2 + s] = block(k, last_y[s], 0, GHOST, row);
    halo.in[2 + s] = block(k, ghost_y[s], 0, GHOST, row);
  }
  return halo;
}

static void exchange(double *field, const Halo *halo) {
  for (int d = 0; d < 4; d += 2) {
    MPI_Request requests[4];
    for (int s = d; s < d + 2; ++s) MPI_Irecv(field, 1, halo->in[s], neighbour[s], s ^ 1, grid, &requests[s - d]);
    for (int s = d; s < d + 2; ++s) MPI_Isend(field, 1, halo->out[s], neighbour[s], s, grid, &requests[2 + s - d]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

/* Where a rank's part of `n` cells begins, of `parts` parts as equal as can be. */
static int part_begin(int n, int parts, int part) { return (int)((long)n * part / parts); }

static void divide(void) {
  int dims[2] = {0, 0}, at[2];
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){0, 1}, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  MPI_Cart_shift(grid, 1, 1, &neighbour[0], &neighbour[1]);
  MPI_Cart_shift(grid, 0, 1, &neighbour[2], &neighbour[3]);
  south = part_begin(ny, dims[0], at[0]), my = part_begin(ny, dims[0], at[0] + 1) - south;
  west = part_begin(nx, dims[1], at[1]), mx = part_begin(nx, dims[1], at[1] + 1) - west;
  row = mx + 2 * GHOST;
}

/* Two continents from north to south, and none at the poles' walls. */
static double depth_at(int i, int j) {
  i = (i + nx) % nx;
  if (j <= 0 || j >= ny) return 0;
  const double x = (double)i / nx, y = (double)j / ny, shelf = fabs(sin(2 * M_PI * (x + 0.1 * y)));
  return shelf < 0.2 && y > 0.2 ? 0 : 4000 * (0.5 + 0.5 * shelf);
}

static double *field(int k) { return calloc((size_t)k * row * (my + 2 * GHOST), sizeof(double)); }

/* out = A in: the divergence of depth times the gradient, and the implicit term; a symmetric stencil of nine points. */
static void apply(const double *in, double *out) {
  for (int j = 0; j < my; ++j)
    for (int i = 0; i < mx; ++i) out[AT(i, j)] = IMPLICIT * CELL_M * CELL_M * in[AT(i, j)];
  for (int j = 0; j <= my; ++j)
    for (int i = 0; i <= mx; ++i) {
      const double sw = in[AT(i - 1, j - 1)], se = in[AT(i, j - 1)], nw = in[AT(i - 1, j)], ne = in[AT(i, j)];
      const double h = depth[AT(i, j)], gx = h * (se + ne - sw - nw) / 4, gy = h * (nw + ne - sw - se) / 4;
      if (i > 0 && j > 0) out[AT(i - 1, j - 1)] -= gx + gy;
      if (i < mx && j > 0) out[AT(i, j - 1)] -= gy - gx;
      if (i > 0 && j < my) out[AT(i - 1, j)] -= gx - gy;
      if (i < mx && j < my) out[AT(i, j)] += gx + gy;
    }
}

static double product(const double *a, const double *b) {
  double sum = 0;
  for (int j = 0; j < my; ++j)
    for (int i = 0; i < mx; ++i) sum += a[AT(i, j)] * b[AT(i, j)];
  return sum;
}

static double diagonal(int i, int j) {
  const double h = depth[AT(i, j)] + depth[AT(i + 1, j)] + depth[AT(i, j + 1)] + depth[AT(i + 1, j + 1)];
  return IMPLICIT * CELL_M * CELL_M + h / 2;
}

/* Solves A x = b by conjugate gradients, scaled by the diagonal. Gives the number of iterations. */
static int solve(double *x, const double *b, const Halo *halo) {
  double *r = field(1), *p = field(1), *q = field(1), *z = field(1), rho = 1;
  const double small = TOLERANCE * TOLERANCE * sum_of(product(b, b));
  int iteration = 0;
  memcpy(r, b, sizeof(double) * row * (my + 2 * GHOST));
  for (; iteration < MOST_ITERATIONS; ++iteration) {
    if (iteration % 10 == 9 && sum_of(product(r, r)) <= small) break;
    for (int j = 0; j < my; ++j)
      for (int i = 0; i < mx; ++i) z[AT(i, j)] = r[AT(i, j)] / diagonal(i, j);
    compute(SOLVER_FLOPS / 2 * mx * my);
    const double before = rho;
    rho = sum_of(product(r, z));
    for (int j = 0; j < my; ++j)
      for (int i = 0; i < mx; ++i) p[AT(i, j)] = z[AT(i, j)] + (iteration ? rho / before : 0) * p[AT(i, j)];
    exchange(p, halo);
    apply(p, q);
    compute(SOLVER_FLOPS / 2 * mx * my);
    const double alpha = rho / sum_of(product(p, q));
    for (int j = 0; j < my; ++j)
      for (int i = 0; i < mx; ++i) x[AT(i, j)] += alpha * p[AT(i, j)], r[AT(i, j)] -= alpha * q[AT(i, j)];
  }
  free(r), free(p), free(q), free(z);
  return iteration;
}

/* A step of horizontal and vertical mixing: what leaves a cell enters another one, and nothing enters the land. */
static void mix(const double *now, double *next) {
  const size_t plane = (size_t)row * (my + 2 * GHOST);
  for (int k = 0; k < levels; ++k) {
    const double *f = now + k * plane, *above = k ? f - plane : f, *below = k + 1 < levels ? f + plane : f;
    for (int j = 0; j < my; ++j) {
      const double has_south = south + j > 0, has_north = south + j < ny - 1;
      for (int i = 0; i < mx; ++i) {
        const double here = f[AT(i, j)];
        next[k * plane + AT(i, j)] =
            here + 0.1 * (f[AT(i - 1, j)] + f[AT(i + 1, j)] - 2 * here + has_south * (f[AT(i, j - 1)] - here) +
                          has_north * (f[AT(i, j + 1)] - here) + above[AT(i, j)] + below[AT(i, j)] - 2 * here);
      }
    }
  }
}

static double content(const double *of) {
  double sum = 0;
  for (int k = 0; k < levels; ++k)
    for (int j = 0; j < my; ++j)
      for (int i = 0; i < mx; ++i) sum += of[(size_t)k * row * (my + 2 * GHOST) + AT(i, j)];
  return sum_of(sum);
}

/* Each field is computed, and its halo exchanged. */
static void baroclinic(double *fields[FIELDS], double **spare, const Halo *halo) {
  for (int f = 0; f < FIELDS; ++f) {
    mix(fields[f], *spare);
    compute(BAROCLINIC_FLOPS / FIELDS * mx * my * levels);
    double *const next = *spare;
    *spare = fields[f], fields[f] = next;
    exchange(next, halo);
  }
}

/* The right-hand side of a step: what the wind piles up, and none of it on land. */
static void wind(double *b, int step) {
  for (int j = 0; j < my; ++j)
    for (int i = 0; i < mx; ++i)
      b[AT(i, j)] = diagonal(i, j) > 1000 ? sin(0.05 * (west + i + 10 * step)) * cos(0.03 * (south + j)) : 0;
}

static double residual(double *x, const double *b, const Halo *halo) {
  double *ax = field(1);
  exchange(x, halo);
  apply(x, ax);
  for (int j = 0; j < my; ++j)
    for (int i = 0; i < mx; ++i) ax[AT(i, j)] -= b[AT(i, j)];
  const double relative = sqrt(sum_of(product(ax, ax)) / sum_of(product(b, b)));
  free(ax);
  return relative;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argument(argc, argv, 1, 1);
  nx = argument(argc, argv, 2, 320), ny = argument(argc, argv, 3, 384), levels = argument(argc, argv, 4, 40);
  divide();
  const Halo flat = halo_of(1), deep = halo_of(levels);
  double *fields[FIELDS], *spare = field(levels), *x = field(1), *b = field(1), before[FIELDS], worst = 0;
  depth = field(1);
  for (int j = 0; j <= my; ++j)
    for (int i = 0; i <= mx; ++i) depth[AT(i, j)] = depth_at(west + i, south + j);
  for (int f = 0; f < FIELDS; ++f) {
    fields[f] = field(levels);
    for (int k = 0; k < levels; ++k)
      for (int j = 0; j < my; ++j)
        for (int i = 0; i < mx; ++i)
          fields[f][(size_t)k * row * (my + 2 * GHOST) + AT(i, j)] = 1 + sin(0.1 * (west + i) + f) * cos(0.2 * (south + j + k));
    before[f] = content(fields[f]);
    exchange(fields[f], &deep);
  }
  double at_s[3] = {0};
  int iterations = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun_s = MPI_Wtime();
    baroclinic(fields, &spare, &deep);
    const double turned_s = MPI_Wtime();
    wind(b, step);
    memset(x, 0, sizeof(double) * row * (my + 2 * GHOST));
    iterations += solve(x, b, &flat);
    const double ended_s = MPI_Wtime();
    at_s[0] += ended_s - begun_s, at_s[1] += turned_s - begun_s, at_s[2] += ended_s - turned_s;
    worst = fmax(worst, residual(x, b, &flat));
  }
  say("step", at_s[0] / steps), say("baroclinic", at_s[1] / steps), say("barotropic", at_s[2] / steps);
  if (rank == 0) printf("# %d iterations\n", iterations);
  for (int f = 0; f < FIELDS; ++f) {
    const double drift = fabs(content(fields[f]) / before[f] - 1);
    if (drift > 1e-9) return checked(0, "sum of a tracer", drift);
  }
  return checked(worst < 10 * TOLERANCE, "residual of the solver", worst);
}
