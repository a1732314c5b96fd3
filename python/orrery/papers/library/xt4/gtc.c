/* SPDX-License-Identifier: BSD-3-Clause */
/* Particles in a torus in the manner of GTC: the torus is divided into sections, and the particles of a section among
 * ranks. A step adds the charge of all particles to the section's grid (allreduce among its ranks, and the border plane
 * to the next section), smooths it with the planes of both neighbours, pushes the particles, and shifts those that have
 * left their section around the ring, until none is in a wrong one (allreduce of their number among all ranks).
 *
 *     gtc [STEPS] [PARTICLES] [POINTS] [SECTIONS]
 *
 * PARTICLES of a rank, POINTS of a plane. Prints seconds: step. Checks that no particle is lost and that the charge on
 * the grid is theirs. */
#include <math.h>
#include <string.h>

#include "phases.h"

#define CHARGE_FLOPS 300.0 /* of a particle */
#define PUSH_FLOPS 500.0
#define FIELD_FLOPS 200.0 /* of a point */
#define SPEED (0.1 / 64)  /* of the torus in a step, at most, either way */

typedef struct {
  double zeta, velocity, place, weight, number;
} Particle;
enum { NUMBERS = sizeof(Particle) / sizeof(double) };

static int sections, section, members, points;
static int left, right;
static MPI_Comm ring, plane; /* ranks of one member number in all sections; ranks of a section */
static Particle *particles;
static int count, room;

static double uniform(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state / 4294967296.0;
}

static void begin(int each) {
  unsigned state = 12345u + 7919u * (unsigned)rank;
  room = 2 * each + 1000, count = each;
  particles = malloc(sizeof(Particle) * room);
  for (int p = 0; p < each; ++p)
    particles[p] = (Particle){.zeta = (section + uniform(&state)) / sections,
                              .velocity = SPEED * (2 * uniform(&state) - 1),
                              .place = uniform(&state),
                              .weight = 0.5 + uniform(&state),
                              .number = (double)rank * each + p};
}

/* The grid of the section: its plane on the left; what is nearer to the right one goes to the next section. */
static void charge(double *grid, double *border) {
  memset(grid, 0, sizeof(double) * points), memset(border, 0, sizeof(double) * points);
  for (int p = 0; p < count; ++p) {
    const double along = particles[p].zeta * sections - section, across = particles[p].place * points;
    const int point = (int)across;
    const double share[2] = {1 - (across - point), across - point};
    for (int s = 0; s < 2; ++s) {
      grid[(point + s) % points] += particles[p].weight * share[s] * (1 - along);
      border[(point + s) % points] += particles[p].weight * share[s] * along;
    }
  }
  compute(CHARGE_FLOPS * count);
  MPI_Allreduce(MPI_IN_PLACE, grid, points, MPI_DOUBLE, MPI_SUM, plane);
  MPI_Allreduce(MPI_IN_PLACE, border, points, MPI_DOUBLE, MPI_SUM, plane);
  MPI_Sendrecv_replace(border, points, MPI_DOUBLE, right, 1, left, 1, ring, MPI_STATUS_IGNORE);
  for (int i = 0; i < points; ++i) grid[i] += border[i];
}

/* A mean with the planes on both sides, which leaves the charge of the torus as it is. */
static void smooth(double *grid, double *before, double *after) {
  MPI_Sendrecv(grid, points, MPI_DOUBLE, right, 2, before, points, MPI_DOUBLE, left, 2, ring, MPI_STATUS_IGNORE);
  MPI_Sendrecv(grid, points, MPI_DOUBLE, left, 3, after, points, MPI_DOUBLE, right, 3, ring, MPI_STATUS_IGNORE);
  for (int i = 0; i < points; ++i) grid[i] = (before[i] + 2 * grid[i] + after[i]) / 4;
  compute(FIELD_FLOPS * points);
}

static void push(void) {
  for (int p = 0; p < count; ++p) {
    particles[p].zeta += particles[p].velocity;
    particles[p].zeta -= floor(particles[p].zeta);
  }
  compute(PUSH_FLOPS * count);
}

/* To the right: 1; to the left: -1; at home: 0. */
static int direction(const Particle *p) {
  const int away = ((int)(p->zeta * sections) - section + sections) % sections;
  return away == 0 ? 0 : away <= sections / 2 ? 1 : -1;
}

/* Takes the particles out that go one way, and appends those that come. */
static void pass(int way, Particle *out, Particle *in) {
  const int to = way > 0 ? right : left, from = way > 0 ? left : right;
  int leave = 0, stay = 0, come;
  for (int p = 0; p < count; ++p) {
    if (direction(&particles[p]) == way)
      out[leave++] = particles[p];
    else
      particles[stay++] = particles[p];
  }
  MPI_Sendrecv(&leave, 1, MPI_INT, to, 4, &come, 1, MPI_INT, from, 4, ring, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, leave * NUMBERS, MPI_DOUBLE, to, 5, in, come * NUMBERS, MPI_DOUBLE, from, 5, ring,
               MPI_STATUS_IGNORE);
  if (stay + come > room) MPI_Abort(MPI_COMM_WORLD, 2);
  memcpy(particles + stay, in, sizeof(Particle) * come);
  count = stay + come;
}

static void shift(Particle *out, Particle *in) {
  for (;;) {
    int away = 0, all;
    for (int p = 0; p < count; ++p) away += direction(&particles[p]) != 0;
    MPI_Allreduce(&away, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all == 0) return;
    pass(1, out, in);
    pass(-1, out, in);
  }
}

/* All particles: their number, the sum of their own numbers, and their charge. */
static void census(double found[3]) {
  double mine[3] = {count, 0, 0};
  for (int p = 0; p < count; ++p) mine[1] += particles[p].number, mine[2] += particles[p].weight;
  MPI_Allreduce(mine, found, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argument(argc, argv, 1, 4), each = argument(argc, argv, 2, 8000);
  points = argument(argc, argv, 3, 8192), sections = argument(argc, argv, 4, 64);
  if (sections > size) sections = size;
  if (size % sections) return checked(0, "ranks that are no multiple of the sections", size);
  members = size / sections, section = rank / members;
  MPI_Comm_split(MPI_COMM_WORLD, rank % members, section, &ring);
  MPI_Comm_split(MPI_COMM_WORLD, section, rank % members, &plane);
  left = (section + sections - 1) % sections, right = (section + 1) % sections;
  begin(each);
  Particle *out = malloc(sizeof(Particle) * room), *in = malloc(sizeof(Particle) * room);
  double *grid[3], before[3], after[3], worst = 0;
  for (int g = 0; g < 3; ++g) grid[g] = malloc(sizeof(double) * points);
  census(before);
  double step_s = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun_s = MPI_Wtime();
    charge(grid[0], grid[1]);
    smooth(grid[0], grid[1], grid[2]);
    push();
    shift(out, in);
    step_s += MPI_Wtime() - begun_s;
    double on_grid = 0;
    for (int i = 0; i < points; ++i) on_grid += grid[0][i];
    worst = fmax(worst, fabs(sum_of(on_grid / members) / before[2] - 1));
  }
  say("step", step_s / steps);
  census(after);
  if (after[0] != before[0] || after[1] != before[1]) return checked(0, "particles", after[0] - before[0]);
  return checked(worst < 1e-10, "charge", worst);
}
