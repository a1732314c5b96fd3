/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of ours with the calls of MPI that WRF 3.4 makes for em_b_wave, its baroclinic wave: 41 x 81 x 65 points on a mesh of ranks,
 * halos, periodic in x, walls in y, and output gathered by rank 0.
 *
 *     em_b_wave [STEPS] [STEPS-OF-A-FRAME]
 *
 * Of all fields one is computed, a plane that a meandering jet carries along: with WRF's Runge-Kutta method of three stages and its
 * advection of the fifth order. Its cells travel in front of the messages that would carry it in WRF; the rest of a message is as long as
 * WRF's and has no meaning. Computation is declared. Prints seconds: step, and checks that the mass stays, and that the gathered field is
 * to the last bit what one rank computes alone. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "em_b_wave.h"
#include "orrery.h"

enum { NX = 40, NY = 80, LEVELS = 65, GHOSTS = 3, REAL = 4 };
enum { READ_FIELDS = 71, FRAME_FIELDS = 315, FRAME_VOLUMES = 15, FRAME_ATTRIBUTES = 199, START_BROADCASTS = 17, NAMELIST = 32768 };

#define CELL_S 4.5e-6 /* a cell and level in a step: what the paper's two physical nodes compute, 333 s for 720 steps */
#define PACK_S 1e-9   /* a byte, packed or unpacked */
#define COURANT 0.4f

/* A part of the plane, with ghost cells around. */
typedef struct {
  int nx, ny, x0, y0;
  float *now, *begun;
} Plane;

static float *cell(const Plane *p, float *of, int i, int j) {
  return of + (size_t)(j + GHOSTS) * (p->nx + 2 * GHOSTS) + i + GHOSTS;
}

static Plane plane(int nx, int ny, int x0, int y0) {
  const size_t cells = (size_t)(nx + 2 * GHOSTS) * (ny + 2 * GHOSTS);
  Plane p = {nx, ny, x0, y0, calloc(cells, sizeof(float)), calloc(cells, sizeof(float))};
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) *cell(&p, p.now, i, j) = 1 + 0.5f * (float)sin(2 * M_PI * (x0 + i) / NX) * (y0 + j) / NY;
  return p;
}

/* Wind through the left and the lower face of a cell, in cells a step: a jet in the middle, and a wave that vanishes at the walls. */
static float zonal[NY], meridional[NY + 1][NX];

static void blow(void) {
  for (int j = 0; j < NY; ++j) zonal[j] = COURANT * (float)pow(sin(M_PI * (j + 0.5) / NY), 2);
  for (int j = 1; j < NY; ++j)
    for (int i = 0; i < NX; ++i)
      meridional[j][i] = 0.2f * COURANT * (float)(sin(2 * M_PI * (i + 0.5) / NX) * sin(M_PI * j / NY));
}

/* Flux through the face between q[-step] and q[0], of the fifth order, upwind. */
static float flux(float wind, const float *q, int step) {
  const float even = 37 * (q[0] + q[-step]) - 8 * (q[step] + q[-2 * step]) + (q[2 * step] + q[-3 * step]);
  const float odd = (q[2 * step] - q[-3 * step]) - 5 * (q[step] - q[-2 * step]) + 10 * (q[0] - q[-step]);
  return wind * even / 60 - fabsf(wind) * odd / 60;
}

/* One stage: now = begun - dt * divergence(now), whose ghost cells are there. */
static void advance(Plane *p, int of_three) {
  static const float part[] = {1.0f / 3, 0.5f, 1};
  const int row = p->nx + 2 * GHOSTS;
  const size_t all = (size_t)row * (p->ny + 2 * GHOSTS);
  float *next = malloc(all * sizeof(float));
  if (of_three == 0) memcpy(p->begun, p->now, all * sizeof(float));
  for (int j = 0; j < p->ny; ++j)
    for (int i = 0; i < p->nx; ++i) {
      const float *q = cell(p, p->now, i, j);
      const int x = p->x0 + i, y = p->y0 + j;
      const float along = flux(zonal[y], q + 1, 1) - flux(zonal[y], q, 1);
      const float across = flux(meridional[y + 1][x], q + row, row) - flux(meridional[y][x], q, row);
      *cell(p, next, i, j) = *cell(p, p->begun, i, j) - part[of_three] * (along + across);
    }
  memcpy(p->now, next, all * sizeof(float));
  free(next);
}

/* Ghost cells beyond a wall mirror what is before it. */
static void mirror(Plane *p) {
  for (int g = 0; g < GHOSTS; ++g)
    for (int i = 0; i < p->nx; ++i) {
      if (p->y0 == 0) *cell(p, p->now, i, -1 - g) = *cell(p, p->now, i, g);
      if (p->y0 + p->ny == NY) *cell(p, p->now, i, p->ny + g) = *cell(p, p->now, i, p->ny - 1 - g);
    }
}

/* Ghost cells in x of who has all of x. */
static void wrap(Plane *p) {
  for (int j = 0; j < p->ny; ++j)
    for (int g = 0; g < GHOSTS; ++g) {
      *cell(p, p->now, -1 - g, j) = *cell(p, p->now, p->nx - 1 - g, j);
      *cell(p, p->now, p->nx + g, j) = *cell(p, p->now, g, j);
    }
}

enum { Y, X };
enum { DOWN, UP };
static int rank, size, parts[2], at[2], neighbours[2];
static MPI_Comm mesh, torus;
static Plane mine;
static char *outgoing[2], *incoming[2];

void compute(double part_of_a_step) { ORRERY_COMPUTE(part_of_a_step * CELL_S * mine.nx * mine.ny * (LEVELS - 1)); }

/* Bytes of a group on their way along an axis: its corners go along, towards whom there is. */
static int bytes_of(Group g, int axis) {
  const int across = (axis == Y ? mine.nx : mine.ny) + g.width * neighbours[1 - axis];
  return REAL * g.width * across * (LEVELS * g.volumes + g.planes);
}

enum Way { PACK, UNPACK };

/* The cells of the plane that go to, or come from, a side. */
static void cells(int axis, int side, char *buffer, enum Way way) {
  float *f = (float *)buffer;
  const int along = axis == Y ? mine.ny : mine.nx, across = axis == Y ? mine.nx : mine.ny;
  const int first = side == DOWN ? (way == PACK ? 0 : -GHOSTS) : (way == PACK ? along - GHOSTS : along);
  for (int a = first; a < first + GHOSTS; ++a)
    for (int b = 0; b < across; ++b, ++f) {
      float *q = axis == Y ? cell(&mine, mine.now, b, a) : cell(&mine, mine.now, a, b);
      if (way == PACK) *f = *q;
      if (way == UNPACK) *q = *f;
    }
}

/* Sends to and receives from the sides whose rank is given, as RSL_LITE does: receives first, then one wait after the other. */
static void exchange(MPI_Comm ranks, Group g, int axis, const int side[2], int with_plane) {
  const int bytes = bytes_of(g, axis);
  MPI_Request received[2], sent[2];
  const int both = (side[UP] != MPI_PROC_NULL) + (side[DOWN] != MPI_PROC_NULL);
  ORRERY_COMPUTE(PACK_S * bytes * both);
  for (int s = UP; s >= DOWN; --s)
    if (side[s] != MPI_PROC_NULL && with_plane) cells(axis, s, outgoing[s], PACK);
  for (int s = UP; s >= DOWN; --s)
    if (side[s] != MPI_PROC_NULL) MPI_Irecv(incoming[s], bytes, MPI_CHAR, side[s], s, ranks, &received[s]);
  for (int s = UP; s >= DOWN; --s)
    if (side[s] != MPI_PROC_NULL) MPI_Isend(outgoing[s], bytes, MPI_CHAR, side[s], 1 - s, ranks, &sent[s]);
  for (int s = UP; s >= DOWN; --s)
    if (side[s] != MPI_PROC_NULL) MPI_Wait(&received[s], MPI_STATUS_IGNORE);
  for (int s = UP; s >= DOWN; --s)
    if (side[s] != MPI_PROC_NULL) MPI_Wait(&sent[s], MPI_STATUS_IGNORE);
  for (int s = UP; s >= DOWN; --s)
    if (side[s] != MPI_PROC_NULL && with_plane) cells(axis, s, incoming[s], UNPACK);
  ORRERY_COMPUTE(PACK_S * bytes * both);
}

/* Asks for the neighbours as often as RSL_LITE does: to begin, for each field that is packed and unpacked, and to exchange. */
static void halo_with(Group g, int with_plane) {
  for (int axis = Y; axis <= X; ++axis) {
    int side[2];
    if (parts[axis] == 1) continue;
    for (int asked = 0; asked < 2 + 2 * (g.volumes + g.planes); ++asked) MPI_Cart_shift(mesh, axis, 1, &side[DOWN], &side[UP]);
    exchange(mesh, g, axis, side, with_plane);
  }
}

static void ask(int axis, int side[2]) {
  int me, where[2];
  MPI_Comm_rank(torus, &me);
  MPI_Cart_coords(torus, me, 2, where);
  MPI_Cart_shift(torus, axis, 1, &side[DOWN], &side[UP]);
}

static void period_with(Group g, int with_plane) {
  int side[2];
  if (parts[Y] > 1) ask(Y, side);
  if (parts[X] == 1) return;
  for (int asked = 0; asked < 2 + 2 * (g.volumes + g.planes); ++asked) ask(X, side);
  if (at[X] != 0) side[DOWN] = MPI_PROC_NULL;
  if (at[X] != parts[X] - 1) side[UP] = MPI_PROC_NULL;
  exchange(torus, g, X, side, with_plane);
}

void halo(Group g) { halo_with(g, 0); }
void period(Group g) { period_with(g, 0); }
void halo_of_stage(Group g) { halo_with(g, 1); }

void period_of_stage(Group g) {
  period_with(g, 1);
  if (parts[X] == 1) wrap(&mine);
  mirror(&mine);
}

void stage(int of_three) { advance(&mine, of_three); }

/* Tells all that an access of rank 0 to a file went well. */
static void status(void) {
  int good = 1;
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Everybody's number of bytes of a field, and where they are in it. */
static int sizes(int levels, int *counts, int *places) {
  int all, bytes = REAL * mine.nx * mine.ny * levels;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Gather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < all; ++r) places[r] = r == 0 ? 0 : places[r - 1] + counts[r - 1];
  return bytes;
}

static int counts[1024], places[1024];
static char *patch, *field;
static MPI_File file;

static void read_fields(void) {
  for (int f = 0; f < READ_FIELDS; ++f) {
    const int bytes = sizes(f < FRAME_VOLUMES ? LEVELS : 1, counts, places);
    MPI_Scatterv(field, counts, places, MPI_CHAR, patch, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    status();
  }
}

/* The first field is the plane that is computed. Each is written over the one before: nobody reads the file. */
static void write_frame(void) {
  for (int a = 0; a < FRAME_ATTRIBUTES; ++a) status();
  for (int f = 0; f < FRAME_FIELDS; ++f) {
    const int bytes = sizes(f > 0 && f <= FRAME_VOLUMES ? LEVELS : 1, counts, places);
    for (int j = 0; f == 0 && j < mine.ny; ++j)
      memcpy(patch + (size_t)j * mine.nx * REAL, cell(&mine, mine.now, 0, j), (size_t)mine.nx * REAL);
    MPI_Gatherv(patch, bytes, MPI_CHAR, field, counts, places, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_File_write_at(file, 0, field, places[size - 1] + counts[size - 1], MPI_CHAR, MPI_STATUS_IGNORE);
    if (rank == 0 && f == 0) memcpy(field + (size_t)REAL * NX * NY * LEVELS, field, (size_t)REAL * NX * NY);
    status();
  }
}

/* In which cells the last frame differs from what one rank computes alone. Rank 0 alone calls it. */
static int differing(int steps) {
  Plane alone = plane(NX, NY, 0, 0);
  wrap(&alone), mirror(&alone);
  for (int s = 0; s < 3 * steps; ++s) advance(&alone, s % 3), wrap(&alone), mirror(&alone);
  const float *gathered = (const float *)(field + (size_t)REAL * NX * NY * LEVELS);
  int wrong = 0;
  for (int r = 0; r < size; ++r)
    for (int j = 0; j < mine.ny; ++j)
      for (int i = 0; i < mine.nx; ++i)
        wrong += *gathered++ != *cell(&alone, alone.now, i + r % parts[X] * mine.nx, j + r / parts[X] * mine.ny);
  return wrong;
}

static double mass(void) {
  double sum = 0, all;
  for (int j = 0; j < mine.ny; ++j)
    for (int i = 0; i < mine.nx; ++i) sum += *cell(&mine, mine.now, i, j);
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* The mesh of ranks, in y first, as WRF lays it out, and what else WRF asks for at the start. */
static void begin(void) {
  static const int walls[] = {0, 0}, endless[] = {1, 1};
  MPI_Comm all, line;
  int bytes, told[1024], me;
  MPI_Dims_create(size, 2, parts);
  MPI_Cart_create(MPI_COMM_WORLD, 2, parts, walls, 0, &mesh);
  MPI_Cart_create(MPI_COMM_WORLD, 2, parts, endless, 0, &torus);
  MPI_Comm_rank(torus, &me), MPI_Cart_coords(torus, me, 2, at);
  MPI_Comm_rank(mesh, &me), MPI_Cart_coords(mesh, me, 2, at);
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_split(all, at[Y], rank, &line), MPI_Comm_split(all, at[X], rank, &line);
  for (int i = 0; i < 4; ++i) MPI_Type_size(MPI_FLOAT, &bytes);
  for (int i = 0; i < 4; ++i) MPI_Allgather(&rank, 1, MPI_INT, told, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int axis = Y; axis <= X; ++axis) neighbours[axis] = (at[axis] > 0) + (at[axis] < parts[axis] - 1);
  mine = plane(NX / parts[X], NY / parts[Y], at[X] * NX / parts[X], at[Y] * NY / parts[Y]);
  for (int s = DOWN; s <= UP; ++s)
    outgoing[s] = calloc(1, 2 * bytes_of((Group){18, 25, 4}, Y)), incoming[s] = calloc(1, 2 * bytes_of((Group){18, 25, 4}, Y));
  patch = calloc(1, (size_t)REAL * mine.nx * mine.ny * LEVELS);
  field = calloc(1, (size_t)REAL * NX * NY * (LEVELS + 1));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 1 ? atoi(argv[1]) : 720, of_a_frame = argc > 2 ? atoi(argv[2]) : 36;
  begin(), blow();
  if (NX % parts[X] || NY % parts[Y] || size > 1024) {
    if (rank == 0) puts("check: failed: cells that rows and columns do not divide");
    return MPI_Finalize(), 1;
  }
  static char namelist[NAMELIST], name[] = "/tmp/em_b_wave-XXXXXX";
  for (int b = 0; b < START_BROADCASTS; ++b) MPI_Bcast(namelist, b == 0 ? NAMELIST : REAL, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) close(mkstemp(name));
  if (rank == 0) MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  read_fields();
  initial_fields(), initial_fields();
  const double before = mass();
  write_frame();
  const double begun_s = MPI_Wtime();
  for (int s = 1; s <= steps; ++s) {
    step();
    if (s % of_a_frame == 0) write_frame();
  }
  if (rank == 0 && steps > 0) printf("step: %.9f s\n", (MPI_Wtime() - begun_s) / steps);
  const double lost = fabs(mass() / before - 1);
  const int wrong = rank == 0 ? differing(steps - steps % of_a_frame) : 0;
  if (rank == 0) MPI_File_close(&file);
  if (rank == 0) wrong == 0 && lost < 1e-5 ? puts("check: ok") : printf("check: failed: %d cells differ, mass %g\n", wrong, lost);
  MPI_Finalize();
  return wrong > 0 || lost >= 1e-5;
}
