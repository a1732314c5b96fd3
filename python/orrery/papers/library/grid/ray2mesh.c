/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays of earthquakes through a mesh of the Earth, in the manner of Ray2mesh, in three phases: parameters, velocities
 * and the mesh are broadcast; rays are traced by master and workers; then means of each earthquake are broadcast, and
 * each rank gets, by an all-to-all, what all others have of its part of the mesh.
 *
 *     ray2mesh [FORM [RAYS [CHUNK [MICROSECONDS [GROUPS]]]]]
 *
 * FORM: flat (all work for rank 0), hierarchical (a boss in each site), spared (flat, without the ranks that would be
 * bosses). CHUNK: rays that a worker gets at once. MICROSECONDS: declared for each ray. GROUPS of ranks stand for
 * sites; 0: sites are those of the hardware.
 *
 * The velocity grows with depth as a power of the radius r, v = V (r/R)^B. It is given at the borders of shells,
 * between which rays follow Bullen's law, by Snell and Descartes: p = r sin(i) / v stays. The ray to a receiver is
 * found by its distance. It arrives at
 *
 *     T = 2 R/V sin((1 - B) D/2) / (1 - B)          after the angle D,
 *
 * which is checked, for each ray. The time that rays spend in all cells is that of all rays. Prints seconds: run, and
 * distribute, trace, merge; workers. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery.h"
#include "orrery/masterworker.h"

#define PI 3.14159265358979323846
#define RADIUS_KM 6371.0
#define VELOCITY_KM_S 8.0 /* at the surface */
#define POWER (-0.25)
#define TOLERANCE 1e-9

enum { SHELLS = 20, BANDS = 36, SECTORS = 72, CELLS = SHELLS * BANDS * SECTORS, EVENTS = 1000, NUMBERS = 2 };

typedef struct {
  double time_s, error; /* of the time, against the closed form */
} Arrival;
typedef struct {
  double band, sector, depth_km; /* of its middle */
} Cell;
typedef struct {
  double rays, time_s;
} Visits;
typedef struct {
  double colatitude, longitude, azimuth, angle; /* of the source; to the receiver */
} Ray;
typedef struct {
  double inner, outer, power; /* r/v at both borders in seconds; 1 - b of the law between them */
} Shell;
typedef struct {
  double angle, time_s;
  int shell;
} Segment; /* of one leg; its angle at the middle of the part */

static MPI_Comm world;
static int rank, size;
static long rays, chunk, cost_us;
static Shell shells[SHELLS]; /* from the surface down */
static Cell *cells;
static Visits *visits; /* of this rank's rays, by cell */

/* Whole numbers from 0 up, mixed: the same ray for the same number everywhere. */
static double uniform(unsigned long number, unsigned long which) {
  unsigned long x = number * 2654435761ul + which * 40503ul + 12345ul;
  for (int i = 0; i < 2; ++i) x ^= x >> 30, x *= 0xbf58476d1ce4e5b9ul, x ^= x >> 27, x *= 0x94d049bb133111ebul;
  return (double)(x >> 11) / 9007199254740992.0;
}

static Ray ray_of(long number) {
  const unsigned long event = (unsigned long)number % EVENTS;
  return (Ray){.colatitude = acos(1 - 2 * uniform(event, 1)),
               .longitude = 2 * PI * uniform(event, 2),
               .azimuth = 2 * PI * uniform((unsigned long)number, 3),
               .angle = (10 + 90 * uniform((unsigned long)number, 4)) * PI / 180};
}

static double closed_form_s(double angle) {
  return 2 * RADIUS_KM / VELOCITY_KM_S * sin((1 - POWER) * angle / 2) / (1 - POWER);
}

/* Shells of the same thickness, down to three tenths of the radius, from velocities at their borders. */
static void shells_of(const double *velocities) {
  for (int s = 0; s < SHELLS; ++s) {
    const double outer = RADIUS_KM * (1 - 0.7 * s / SHELLS), inner = RADIUS_KM * (1 - 0.7 * (s + 1) / SHELLS);
    shells[s].outer = outer / velocities[s], shells[s].inner = inner / velocities[s + 1];
    shells[s].power = log(shells[s].outer / shells[s].inner) / log(outer / inner);
  }
}

/* One leg of the ray with parameter p, from the surface to its lowest point. How many segments. */
static int leg(double p, Segment *segments) {
  double angle = 0, above = acos(p / shells[0].outer), high_s = sqrt(shells[0].outer * shells[0].outer - p * p);
  for (int n = 0; n < SHELLS; ++n) {
    const Shell s = shells[n];
    const int turns = p >= s.inner;
    const double below = turns ? 0 : acos(p / s.inner), deep_s = turns ? 0 : sqrt(s.inner * s.inner - p * p);
    const double part = (above - below) / s.power;
    segments[n] = (Segment){turns ? angle + part : angle + part / 2, (high_s - deep_s) / s.power, n};
    if (turns) return n + 1;
    angle += part, above = below, high_s = deep_s;
  }
  return SHELLS;
}

/* The angle after which it arrives. */
static double distance(double p) {
  double angle = 0, above = acos(p / shells[0].outer);
  for (int n = 0; n < SHELLS; ++n) {
    const Shell s = shells[n];
    if (p >= s.inner) return 2 * (angle + above / s.power);
    const double below = acos(p / s.inner);
    angle += (above - below) / s.power, above = below;
  }
  return 2 * angle;
}

/* The parameter of the ray that arrives after this angle: between the bounds, by false position (Illinois). */
static double parameter(double angle) {
  double low = shells[SHELLS - 1].inner, high = shells[0].outer, far = distance(low) - angle, near = -angle;
  for (int turn = 0, side = 0; turn < 200; ++turn) {
    const double p = (low * near - high * far) / (near - far), off = distance(p) - angle;
    if (fabs(off) < 1e-13 * angle || high - low < 1e-15 * high) return p;
    if (off > 0) {
      low = p, far = off;
      if (side > 0) near /= 2;
      side = 1;
    } else {
      high = p, near = off;
      if (side < 0) far /= 2;
      side = -1;
    }
  }
  return (low + high) / 2;
}

/* The cell in a shell, so far along the great circle of the ray. */
static int cell_at(const Ray *ray, double angle, int shell) {
  const double z = cos(ray->colatitude) * cos(angle) + sin(ray->colatitude) * sin(angle) * cos(ray->azimuth);
  const double colatitude = acos(fmax(-1, fmin(1, z)));
  const double y = sin(angle) * sin(ray->azimuth);
  const double x = cos(angle) * sin(ray->colatitude) - sin(angle) * cos(ray->colatitude) * cos(ray->azimuth);
  const double longitude = ray->longitude + atan2(y, x), turn = longitude / (2 * PI) - floor(longitude / (2 * PI));
  int band = (int)(colatitude / PI * BANDS), sector = (int)(turn * SECTORS);
  if (band == BANDS) --band;
  if (sector == SECTORS) --sector;
  return (shell * BANDS + band) * SECTORS + sector;
}

static void visit(const Ray *ray, double angle, int shell, double time_s) {
  Visits *const one = &visits[cell_at(ray, angle, shell)];
  one->rays += 1, one->time_s += time_s;
}

static Arrival trace(long number) {
  const Ray ray = ray_of(number);
  Segment segments[SHELLS];
  const int n = leg(parameter(ray.angle), segments);
  double time_s = 0;
  for (int i = 0; i < n; ++i) {
    const int is_lowest = i == n - 1;
    visit(&ray, segments[i].angle, segments[i].shell, segments[i].time_s * (is_lowest ? 2 : 1));
    if (!is_lowest) visit(&ray, ray.angle - segments[i].angle, segments[i].shell, segments[i].time_s);
    time_s += 2 * segments[i].time_s;
  }
  const double closed_s = closed_form_s(ray.angle);
  return (Arrival){time_s, fabs(time_s - closed_s) / closed_s};
}

static int trace_all(void *context, long first, long count, const void *inputs, void *outputs) {
  (void)context, (void)inputs;
  for (long i = 0; i < count; ++i) ((Arrival *)outputs)[i] = trace(first + i);
  ORRERY_COMPUTE(1e-6 * (double)cost_us * (double)count);
  return 0;
}

/* Three broadcasts: numbers, velocities at the borders of shells, the mesh. */
static void distribute(void) {
  long numbers[3] = {rays, chunk, cost_us};
  double velocities[SHELLS + 1];
  for (int s = 0; s <= SHELLS; ++s) velocities[s] = VELOCITY_KM_S * pow(1 - 0.7 * s / SHELLS, POWER);
  if (rank > 0) memset(numbers, 0, sizeof numbers), memset(velocities, 0, sizeof velocities);
  for (int c = 0; c < CELLS && rank == 0; ++c)
    cells[c] = (Cell){c / SECTORS % BANDS, c % SECTORS, RADIUS_KM * 0.7 * (c / (BANDS * SECTORS) + 0.5) / SHELLS};
  MPI_Bcast(numbers, 3, MPI_LONG, 0, world);
  rays = numbers[0], chunk = numbers[1], cost_us = numbers[2];
  MPI_Bcast(velocities, SHELLS + 1, MPI_DOUBLE, 0, world);
  shells_of(velocities);
  MPI_Bcast(cells, CELLS * 3, MPI_DOUBLE, 0, world);
}

/* Means of each event from the master to all; then each rank adds up its part of the mesh. Returns its time and depth.
 */
static void merge(const Arrival *arrivals, double *means_s, double found[2]) {
  const int part = (CELLS + size - 1) / size;
  Visits *const mine = calloc((size_t)part * size, sizeof(Visits));
  memset(means_s, 0, sizeof(double) * EVENTS);
  if (rank == 0)
    for (long i = 0; i < rays; ++i)
      means_s[i % EVENTS] += arrivals[i].time_s / (double)((rays - 1 - i % EVENTS) / EVENTS + 1);
  MPI_Bcast(means_s, EVENTS, MPI_DOUBLE, 0, world);
  MPI_Alltoall(visits, part * NUMBERS, MPI_DOUBLE, mine, part * NUMBERS, MPI_DOUBLE, world);
  for (int c = rank * part; c < CELLS && c < (rank + 1) * part; ++c) {
    double time_s = 0;
    for (int from = 0; from < size; ++from) time_s += mine[from * part + c - rank * part].time_s;
    found[0] += time_s, found[1] += time_s * cells[c].depth_km;
  }
  free(mine);
}

/* What is wrong, on any rank; 0: nothing. The master has all arrivals; all ranks have the means, each looks after some
 * events, and has its part of the mesh. */
static double wrong(const Arrival *arrivals, const double *means_s, const double found[2]) {
  double mine[2] = {found[0], found[1]}, all[2], bad[2] = {0, 0}, worst[2], sum_s = 0;
  for (long i = 0; i < rays && rank == 0; ++i) bad[0] = fmax(bad[0], arrivals[i].error), sum_s += arrivals[i].time_s;
  for (int event = rank; event < EVENTS; event += size) {
    double closed_s = 0;
    long n = 0;
    for (long i = event; i < rays; i += EVENTS, ++n) closed_s += closed_form_s(ray_of(i).angle);
    if (n > 0) bad[1] = fmax(bad[1], fabs(means_s[event] / (closed_s / n) - 1));
  }
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, world);
  MPI_Reduce(bad, worst, 2, MPI_DOUBLE, MPI_MAX, 0, world);
  if (rank > 0) return 0;
  printf("rays %ld, mean time %.6f s, mean depth %.1f km\n", rays, sum_s / rays, all[1] / all[0]);
  return fmax(fmax(worst[0], worst[1]), fabs(all[0] / sum_s - 1));
}

static void say(const char *name, double mine_s) {
  double longest_s;
  MPI_Reduce(&mine_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, world);
  if (rank == 0) printf("%s: %.9f s\n", name, longest_s);
}

/* The site of this rank, as a colour. */
static int site(int groups) {
  int colour = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (groups > 0) return (int)((long)rank * groups / size);
#if MPI_VERSION >= 4
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", "site");
  orrery_mw_colour_of_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, info, &colour);
  MPI_Info_free(&info);
#endif
  return colour;
}

/* The tree, and the communicator of those who take part; the others have none. */
static orrery_mw_tree take_part(const char *form, int groups) {
  const int colour = site(groups);
  orrery_mw_tree tree;
  world = MPI_COMM_WORLD;
  orrery_mw_create(MPI_COMM_WORLD, strcmp(form, "flat") == 0 ? 0 : 1, &colour, &tree);
  if (strcmp(form, "spared") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, tree.role == ORRERY_MW_BOSS ? MPI_UNDEFINED : 0, rank, &world);
    orrery_mw_free(&tree);
    if (world != MPI_COMM_NULL) orrery_mw_create(world, 0, NULL, &tree);
  }
  if (world != MPI_COMM_NULL) MPI_Comm_rank(world, &rank), MPI_Comm_size(world, &size);
  return tree;
}

/* All three phases. Returns whether the result is right, on rank 0. */
static int run(const orrery_mw_tree *tree) {
  double times_s[4], found[2] = {0, 0}, means_s[EVENTS];
  Arrival *const arrivals = rank == 0 ? calloc((size_t)rays + 1, sizeof(Arrival)) : NULL;
  MPI_Barrier(world);
  times_s[0] = MPI_Wtime();
  distribute();
  times_s[1] = MPI_Wtime();
  const long chunks[2] = {tree->levels > 0 ? 0 : chunk, chunk};
  orrery_mw_job job = {
      .items = rays, .chunks = chunks, .work = trace_all, .output_bytes = sizeof(Arrival), .outputs = arrivals};
  const int error = orrery_mw_run(tree, &job);
  if (error != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 2);
  times_s[2] = MPI_Wtime();
  merge(arrivals, means_s, found);
  times_s[3] = MPI_Wtime();
  say("run", times_s[3] - times_s[0]);
  say("distribute", times_s[1] - times_s[0]), say("trace", times_s[2] - times_s[1]),
      say("merge", times_s[3] - times_s[2]);
  const double off = wrong(arrivals, means_s, found);
  if (rank == 0) printf("workers: %d\n", tree->workers);
  if (rank == 0) off < TOLERANCE ? puts("check: ok") : printf("check: failed: off by %g\n", off);
  free(arrivals);
  return off < TOLERANCE;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *const form = argc > 1 ? argv[1] : "flat";
  long numbers[4] = {10000, 100, 5000, 0};
  for (int a = 2; a < argc && a < 6; ++a) numbers[a - 2] = atol(argv[a]);
  rays = numbers[0], chunk = numbers[1], cost_us = numbers[2];
  if ((strcmp(form, "flat") && strcmp(form, "hierarchical") && strcmp(form, "spared")) || rays < 1 || chunk < 1 ||
      cost_us < 0 || numbers[3] < 0) {
    fprintf(stderr,
            "ray2mesh [flat|hierarchical|spared [RAYS [CHUNK [MICROSECONDS [GROUPS]]]]], RAYS and CHUNK from 1 on\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  orrery_mw_tree tree = take_part(form, (int)numbers[3]);
  int good = 1;
  if (world != MPI_COMM_NULL) {
    cells = calloc(CELLS, sizeof(Cell)), visits = calloc(CELLS + (size_t)size, sizeof(Visits));
    good = run(&tree);
    free(cells), free(visits);
    orrery_mw_free(&tree);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
