/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, jobs and trees that orrery/masterworker.h refuses on all ranks, though one alone has them wrong. Each rank
 * prints "right". */
#include <mpi.h>
#include <orrery/masterworker.h>
#include <stdio.h>

static int rank;
static double numbers[10];

static int work(void *context, long first, long count, const void *inputs, void *outputs) {
  (void)context, (void)first, (void)count, (void)inputs, (void)outputs;
  return 0;
}

static void merge(void *context, void *into, const void *other) { (void)context, (void)into, (void)other; }

/* The code of a job with one thing changed on one rank. */
static int changed(const orrery_mw_tree *tree, int what, int where) {
  const long negative[2] = {1, -1};
  orrery_mw_job job = {.items = 10,
                       .work = work,
                       .output_bytes = sizeof(double),
                       .outputs = numbers,
                       .sum_bytes = sizeof(double),
                       .sum = numbers,
                       .merge = merge};
  if (rank != where) return orrery_mw_run(tree, &job);
  if (what == 1) job.work = NULL;
  if (what == 2) job.output_bytes = 4;
  if (what == 3) job.input_bytes = -1;
  if (what == 4) job.chunks = negative;
  if (what == 5) job.merge = NULL;
  if (what == 6) job.items = -1;
  if (what == 7) job.outputs = NULL;
  return orrery_mw_run(tree, &job);
}

/* Ranks with the same name have the lowest one as their colour; all are told of a name that is too long. */
static int names_are_right(void) {
  char name[129];
  int colour = -1;
  memset(name, 'a', 128), name[128] = '\0';
  if (rank != 3) name[127 - rank % 2] = '\0';
  if (orrery_mw_colour_of_name(MPI_COMM_WORLD, name, &colour) != MPI_ERR_ARG) return 0;
  name[127 - rank % 2] = '\0';
  return orrery_mw_colour_of_name(MPI_COMM_WORLD, name, &colour) == MPI_SUCCESS && colour == rank % 2;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int colours[3] = {0, rank / 2, rank};
  orrery_mw_tree tree;
  int good = orrery_mw_create(MPI_COMM_WORLD, -1, colours, &tree) == MPI_ERR_ARG;
  good = good && orrery_mw_create(MPI_COMM_WORLD, rank == 2 ? 2 : 1, colours, &tree) == MPI_ERR_ARG;
  good = good && orrery_mw_create(MPI_COMM_WORLD, 1, rank == 1 ? NULL : colours, &tree) == MPI_ERR_ARG;
  good = good && orrery_mw_create(MPI_COMM_WORLD, 1, colours + 1, &tree) == MPI_SUCCESS;
  good = good && changed(&tree, 0, 0) == MPI_SUCCESS;
  for (int what = 1; what <= 5; ++what) good = good && changed(&tree, what, what % 4) == MPI_ERR_ARG;
  for (int what = 6; what <= 7; ++what) good = good && changed(&tree, what, 0) == MPI_ERR_ARG;
  good = good && changed(&tree, 0, 0) == MPI_SUCCESS;
  good = good && orrery_mw_free(&tree) == MPI_SUCCESS;
  good = good && names_are_right();
  puts(good ? "right" : "WRONG");
  MPI_Finalize();
  return 0;
}
