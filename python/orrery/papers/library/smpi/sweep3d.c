/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel of Sweep3D: neutrons in a cube, by discrete ordinates, in waves from its eight corners.
 *
 *     sweep3d POINTS PLANES UPDATES_PER_S     POINTS per side of the cube; PLANES of it that a message is about
 *
 * Written from the description of the problem: a homogeneous cube with a source and isotropic scattering, vacuum around it,
 * six directions in each octant (level-symmetric, S6), diamond differences. Ranks have columns of the cube, whole in z. In an
 * octant each rank receives the inflow of a block of planes and directions from two neighbours, computes it, and sends its
 * outflow to the two others, so that a wave crosses the grid of ranks. After each sweep all agree on the change of the flux.
 *
 * It computes: absorption and leakage must add up to source and scattering, or it exits with 1. The time of that is declared,
 * UPDATES_PER_S of a point in a direction, so that it does not depend on the computer that simulates.
 */
#include <math.h>
#include <mpi.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIRECTIONS = 6, TOGETHER = 3 /* of a block */, SWEEPS = 12 /* over all directions */ };

/* Level-symmetric quadrature S6: Lewis, Miller, Computational Methods of Neutron Transport, table 4-1. */
static const double COSINE[] = {0.2666355, 0.6815076, 0.9261808};
static const int LEVEL[DIRECTIONS][3] = {{0, 0, 2}, {0, 2, 0}, {2, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
#define ALONG 0.1761263           /* weight of a direction near an axis in its octant, and of one between two axes */
#define BETWEEN (1.0 / 3 - ALONG) /* the six of an octant are 1 */
static const double WEIGHT[DIRECTIONS] = {ALONG / 8, ALONG / 8, ALONG / 8, BETWEEN / 8, BETWEEN / 8, BETWEEN / 8};
static const double TOTAL = 1, SCATTERING = 0.5, SOURCE = 1; /* cross-sections per length, and neutrons */

typedef struct {
  int nx, ny, nz, planes, west, east, south, north;
  double width, update_s; /* of a point */
  double *flux, *next, *inflow_x, *inflow_y, *inflow_z;
  double leaked;
} Domain;

static void fail(const char *what) {
  fprintf(stderr, "sweep3d: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static double *zeros(size_t count) {
  double *found = calloc(count, sizeof(double));
  if (!found) fail("no memory");
  return found;
}

static Domain cut(int points, int planes, double updates_per_s) {
  int size, self, columns = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  for (int divisor = 1; divisor * divisor <= size; ++divisor)
    if (size % divisor == 0) columns = size / divisor;
  const int rows = size / columns, x = self % columns, y = self / columns;
  if (points < columns) fail("more ranks in a row than POINTS");
  Domain d = {.nx = points / columns + (x < points % columns),
              .ny = points / rows + (y < points % rows),
              .nz = points,
              .planes = planes,
              .west = x > 0 ? self - 1 : MPI_PROC_NULL,
              .east = x < columns - 1 ? self + 1 : MPI_PROC_NULL,
              .south = y > 0 ? self - columns : MPI_PROC_NULL,
              .north = y < rows - 1 ? self + columns : MPI_PROC_NULL,
              .width = 1.0 / points,
              .update_s = 1 / updates_per_s};
  const size_t all = (size_t)d.nx * (size_t)d.ny * (size_t)d.nz;
  d.flux = zeros(all);
  d.next = zeros(all);
  d.inflow_x = zeros((size_t)d.ny * (size_t)planes * TOGETHER);
  d.inflow_y = zeros((size_t)d.nx * (size_t)planes * TOGETHER);
  d.inflow_z = zeros((size_t)d.nx * (size_t)d.ny * TOGETHER);
  return d;
}

/* One point in one direction: the angular flux, from what flows in; what flows out replaces it. */
static double update(double source, const double rate[3], double *in_x, double *in_y, double *in_z) {
  const double inside = (source + rate[0] * *in_x + rate[1] * *in_y + rate[2] * *in_z) / (TOTAL + rate[0] + rate[1] + rate[2]);
  *in_x = 2 * inside - *in_x;
  *in_y = 2 * inside - *in_y;
  *in_z = 2 * inside - *in_z;
  return inside;
}

/* Planes `first` to `first + count` of an octant, in directions `from` to `from + TOGETHER`. */
static void compute_block(Domain *d, const int sign[3], int from, int first, int count) {
  for (int m = 0; m < TOGETHER; ++m) {
    const int *level = LEVEL[from + m];
    const double rate[] = {2 * COSINE[level[0]] / d->width, 2 * COSINE[level[1]] / d->width,
                           2 * COSINE[level[2]] / d->width};
    for (int k = 0; k < count; ++k) {
      const int z = sign[2] > 0 ? first + k : d->nz - 1 - first - k;
      for (int j = 0; j < d->ny; ++j) {
        const int y = sign[1] > 0 ? j : d->ny - 1 - j;
        double *in_x = &d->inflow_x[(m * d->planes + k) * d->ny + y];
        for (int i = 0; i < d->nx; ++i) {
          const int x = sign[0] > 0 ? i : d->nx - 1 - i;
          const long place = ((long)z * d->ny + y) * d->nx + x;
          const double source = SOURCE + SCATTERING * d->flux[place];
          d->next[place] += WEIGHT[from + m] * update(source, rate, in_x, &d->inflow_y[(m * d->planes + k) * d->nx + x],
                                                      &d->inflow_z[(m * d->ny + y) * d->nx + x]);
        }
      }
    }
  }
  ORRERY_COMPUTE(d->update_s * TOGETHER * count * d->nx * d->ny);
}

static void receive(double *inflow, int count, int from) {
  if (from == MPI_PROC_NULL)
    for (int i = 0; i < count; ++i) inflow[i] = 0;
  else
    MPI_Recv(inflow, count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Neutrons that leave the cube through a face of a block: flux times cosine times area. `stride`: values of a direction. */
static double leaving(const Domain *d, const double *outflow, int axis, int from, int stride, int count) {
  double sum = 0;
  for (int m = 0; m < TOGETHER; ++m)
    for (int i = 0; i < count; ++i) sum += WEIGHT[from + m] * COSINE[LEVEL[from + m][axis]] * outflow[m * stride + i];
  return sum * d->width * d->width;
}

static void send(Domain *d, double *outflow, int axis, int from, int points, int planes, int to) {
  const int count = points * d->planes * TOGETHER;
  if (to == MPI_PROC_NULL)
    d->leaked += leaving(d, outflow, axis, from, points * d->planes, points * planes);
  else
    MPI_Send(outflow, count, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

static void sweep_octant(Domain *d, const int sign[3]) {
  const int behind_x = sign[0] > 0 ? d->west : d->east, ahead_x = sign[0] > 0 ? d->east : d->west;
  const int behind_y = sign[1] > 0 ? d->south : d->north, ahead_y = sign[1] > 0 ? d->north : d->south;
  const int floor = d->nx * d->ny;
  for (int from = 0; from < DIRECTIONS; from += TOGETHER) {
    for (int i = 0; i < floor * TOGETHER; ++i) d->inflow_z[i] = 0;
    for (int first = 0; first < d->nz; first += d->planes) {
      const int planes = d->nz - first < d->planes ? d->nz - first : d->planes;
      receive(d->inflow_x, d->ny * d->planes * TOGETHER, behind_x);
      receive(d->inflow_y, d->nx * d->planes * TOGETHER, behind_y);
      compute_block(d, sign, from, first, planes);
      send(d, d->inflow_x, 0, from, d->ny, planes, ahead_x);
      send(d, d->inflow_y, 1, from, d->nx, planes, ahead_y);
    }
    d->leaked += leaving(d, d->inflow_z, 2, from, floor, floor);
  }
}

/* All directions. Returns by how much neutrons that came into being and that vanished differ, relative to the former. */
static double sweep(Domain *d) {
  const int all = d->nx * d->ny * d->nz;
  const double volume = d->width * d->width * d->width;
  d->leaked = 0;
  for (int i = 0; i < all; ++i) d->next[i] = 0;
  for (int octant = 0; octant < 8; ++octant)
    sweep_octant(d, (const int[]){octant & 4 ? 1 : -1, octant & 2 ? 1 : -1, octant & 1 ? 1 : -1});
  double own[3] = {0, d->leaked, 0}, sum[3];
  for (int i = 0; i < all; ++i) {
    own[0] += (SOURCE + SCATTERING * d->flux[i]) * volume;
    own[1] += TOTAL * d->next[i] * volume;
    own[2] += fabs(d->next[i] - d->flux[i]) * volume;
  }
  MPI_Allreduce(own, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double *before = d->flux;
  d->flux = d->next;
  d->next = before;
  return fabs(sum[0] - sum[1]) / sum[0];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) fail("sweep3d POINTS PLANES UPDATES_PER_S");
  const int points = atoi(argv[1]), planes = atoi(argv[2]);
  const double updates_per_s = atof(argv[3]);
  if (points < 1 || planes < 1) fail("POINTS and PLANES are numbers above 0");
  if (!(updates_per_s > 0)) fail("UPDATES_PER_S is a number above 0");
  Domain d = cut(points, planes, updates_per_s);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  double worst = 0;
  for (int i = 0; i < SWEEPS; ++i) worst = fmax(worst, sweep(&d));
  const double time_s = MPI_Wtime() - begin_s;
  int self;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (self == 0) printf("balance %.1e\n%s\nsweeps: %.9g s\n", worst, worst < 1e-12 ? "check: ok" : "check: wrong", time_s);
  MPI_Finalize();
  return worst < 1e-12 ? 0 : 1;
}
