/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The heat equation u_t = u_xx + u_yy on the unit square, zero on its edge, from u = sin(pi x) sin(pi y).
 *
 *     heat2d [POINTS [STEPS]]         POINTS per side inside of the edge, default 256; STEPS, default 200
 *
 * The square is cut into blocks, one for each rank. A step exchanges the edges of blocks with the four neighbours, then
 * applies the five-point formula; every tenth step all ranks agree on the largest change. The start is an eigenvector of
 * the formula, so the answer is known exactly: each step multiplies every value by
 *     1 - 8 (dt / h^2) sin^2(pi h / 2).
 * The program compares and exits with 1 if the largest difference exceeds 1e-12: a message that was lost, late or
 * mixed up does not go unnoticed.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEST, EAST, SOUTH, NORTH };

typedef struct {
  MPI_Comm comm;
  int rank, size, neighbour[4];
  int points;                 /* of the whole square, per side */
  int nx, ny;                 /* of this block */
  int first_x, first_y;       /* position of its first point in the square, from 1 */
  MPI_Datatype column;        /* one value of each row */
} Block;

/* Share of `points` that position `index` of `parts` gets; the first ones take what is left over. */
static int share(int points, int parts, int index) { return points / parts + (index < points % parts); }

static int first(int points, int parts, int index) {
  int left_over = points % parts;
  return 1 + index * (points / parts) + (index < left_over ? index : left_over);
}

/* Columns of blocks: the divisor of `size` that makes blocks as square as can be. */
static int columns_for(int size) {
  int columns = 1;
  for (int divisor = 1; divisor * divisor <= size; ++divisor)
    if (size % divisor == 0) columns = divisor;
  return columns;
}

static Block cut(int points) {
  Block b = {.points = points};
  MPI_Comm_dup(MPI_COMM_WORLD, &b.comm);
  MPI_Comm_size(b.comm, &b.size);
  MPI_Comm_rank(b.comm, &b.rank);
  int columns = columns_for(b.size), rows = b.size / columns;
  int x = b.rank % columns, y = b.rank / columns;
  b.neighbour[WEST] = x > 0 ? b.rank - 1 : MPI_PROC_NULL;
  b.neighbour[EAST] = x < columns - 1 ? b.rank + 1 : MPI_PROC_NULL;
  b.neighbour[SOUTH] = y > 0 ? b.rank - columns : MPI_PROC_NULL;
  b.neighbour[NORTH] = y < rows - 1 ? b.rank + columns : MPI_PROC_NULL;
  b.nx = share(points, columns, x);
  b.ny = share(points, rows, y);
  b.first_x = first(points, columns, x);
  b.first_y = first(points, rows, y);
  MPI_Type_vector(b.ny, 1, b.nx + 2, MPI_DOUBLE, &b.column);
  MPI_Type_commit(&b.column);
  return b;
}

/* Value of row j and column i of the block, whose own points are 1..ny and 1..nx; 0 and ny+1 are the neighbours'. */
static size_t at(const Block *b, int i, int j) { return (size_t)j * (size_t)(b->nx + 2) + (size_t)i; }

static double mode(const Block *b, int i, int j) {
  double h = 1.0 / (b->points + 1);
  return sin(M_PI * h * (b->first_x + i - 1)) * sin(M_PI * h * (b->first_y + j - 1));
}

static void exchange_edges(const Block *b, double *u) {
  MPI_Request requests[8];
  MPI_Irecv(&u[at(b, 0, 1)], 1, b->column, b->neighbour[WEST], 0, b->comm, &requests[0]);
  MPI_Irecv(&u[at(b, b->nx + 1, 1)], 1, b->column, b->neighbour[EAST], 1, b->comm, &requests[1]);
  MPI_Irecv(&u[at(b, 1, 0)], b->nx, MPI_DOUBLE, b->neighbour[SOUTH], 2, b->comm, &requests[2]);
  MPI_Irecv(&u[at(b, 1, b->ny + 1)], b->nx, MPI_DOUBLE, b->neighbour[NORTH], 3, b->comm, &requests[3]);
  MPI_Isend(&u[at(b, b->nx, 1)], 1, b->column, b->neighbour[EAST], 0, b->comm, &requests[4]);
  MPI_Isend(&u[at(b, 1, 1)], 1, b->column, b->neighbour[WEST], 1, b->comm, &requests[5]);
  MPI_Isend(&u[at(b, 1, b->ny)], b->nx, MPI_DOUBLE, b->neighbour[NORTH], 2, b->comm, &requests[6]);
  MPI_Isend(&u[at(b, 1, 1)], b->nx, MPI_DOUBLE, b->neighbour[SOUTH], 3, b->comm, &requests[7]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* One step from u to v; gives the largest change in this block. `ratio` is dt / h^2. */
static double step(const Block *b, const double *u, double *v, double ratio) {
  double largest = 0;
  for (int j = 1; j <= b->ny; ++j) {
    for (int i = 1; i <= b->nx; ++i) {
      size_t here = at(b, i, j);
      double around = u[here - 1] + u[here + 1] + u[at(b, i, j - 1)] + u[at(b, i, j + 1)];
      v[here] = u[here] + ratio * (around - 4 * u[here]);
      largest = fmax(largest, fabs(v[here] - u[here]));
    }
  }
  return largest;
}

static double largest_error(const Block *b, const double *u, double decay) {
  double error = 0, all;
  for (int j = 1; j <= b->ny; ++j)
    for (int i = 1; i <= b->nx; ++i) error = fmax(error, fabs(u[at(b, i, j)] - decay * mode(b, i, j)));
  MPI_Allreduce(&error, &all, 1, MPI_DOUBLE, MPI_MAX, b->comm);
  return all;
}

static double *zeros(const Block *b) {
  double *values = calloc((size_t)(b->nx + 2) * (size_t)(b->ny + 2), sizeof *values);
  if (values == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return values;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int points = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 200;
  Block b = cut(points);
  if (b.nx < 1 || b.ny < 1 || steps < 1) {
    if (b.rank == 0) fprintf(stderr, "heat2d: too few points for %d ranks, or no steps\n", b.size);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  double *u = zeros(&b), *v = zeros(&b);
  for (int j = 1; j <= b.ny; ++j)
    for (int i = 1; i <= b.nx; ++i) u[at(&b, i, j)] = mode(&b, i, j);

  const double ratio = 0.2; /* stable up to 0.25 */
  double change = 0, start = MPI_Wtime();
  for (int n = 1; n <= steps; ++n) {
    exchange_edges(&b, u);
    double mine = step(&b, u, v, ratio);
    double *swap = u;
    u = v;
    v = swap;
    if (n % 10 == 0) MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, b.comm);
  }
  double seconds = MPI_Wtime() - start;

  double half_sine = sin(M_PI / (2.0 * (points + 1)));
  double decay = pow(1 - 8 * ratio * half_sine * half_sine, steps);
  double error = largest_error(&b, u, decay);
  int wrong = !(error <= 1e-12);
  if (b.rank == 0) {
    printf("%d x %d points, %d steps on %d ranks: %.6f s, last change %.3e\n", points, points, steps, b.size, seconds,
           change);
    printf("largest difference from the exact answer: %.1e, %s\n", error, wrong ? "WRONG" : "right");
  }
  free(u);
  free(v);
  MPI_Type_free(&b.column);
  MPI_Comm_free(&b.comm);
  MPI_Finalize();
  return wrong;
}
