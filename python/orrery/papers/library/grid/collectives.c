/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective, standard and level by level: two levels by communicators, one for each group and one for their masters,
 * each with MPI's own collective, as the paper builds them from MPI's functions.
 *
 *     collectives bcast|reduce|gather RESOURCE FIRST LAST [SLICE [SLICED_FROM]]
 *
 * RESOURCE: what ranks of a group share, such as site or node (mpi_hw_resource_type). Bytes double from FIRST to LAST;
 * of a gather they are those of one rank. SLICE: bytes of the slices in which messages of SLICED_FROM bytes and more
 * pass through both levels, one slice after the other. Prints seconds: "standard of BYTES B"; hierarchical; and whole,
 * the hierarchical one without slices, where hierarchical has them. They are from the moment at which all
 * ranks begin to the one at which the last one ends. Checks what arrives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery.h"

#define SETTLED_S 0.1 /* longer than any message of a barrier is under way */

static int rank, size, wrong;
static MPI_Comm group, masters; /* of masters: null on other ranks */
static int members;             /* of each group */
static int *mine, *theirs, *room;

static int value(int of, int i) { return of + 7 * i; }

/* ---- Levels ---- */

static void divide(const char *resource) {
  MPI_Info info;
  int in_group, smallest, largest;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", resource);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, rank, info, &group);
  MPI_Info_free(&info);
  if (group == MPI_COMM_NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(group, &in_group), MPI_Comm_size(group, &members);
  MPI_Allreduce(&members, &smallest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&members, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (smallest != largest) MPI_Abort(MPI_COMM_WORLD, 3); /* gathers of equal blocks */
  MPI_Comm_split(MPI_COMM_WORLD, in_group == 0 ? 0 : MPI_UNDEFINED, rank, &masters);
}

static int leads(void) { return masters != MPI_COMM_NULL; }

/* ---- The collectives; count: ints ---- */

static void bcast(int count, int slice) {
  for (int at = 0; at < count; at += slice) {
    const int part = count - at < slice ? count - at : slice;
    if (leads()) MPI_Bcast(mine + at, part, MPI_INT, 0, masters);
    MPI_Bcast(mine + at, part, MPI_INT, 0, group);
  }
}

static void reduce(int count, int slice) {
  for (int at = 0; at < count; at += slice) {
    const int part = count - at < slice ? count - at : slice;
    MPI_Reduce(mine + at, room + at, part, MPI_INT, MPI_SUM, 0, group);
    if (leads()) MPI_Reduce(room + at, theirs + at, part, MPI_INT, MPI_SUM, 0, masters);
  }
}

static void gather(int count, int slice) {
  for (int at = 0; at < count; at += slice) {
    const int part = count - at < slice ? count - at : slice, whole = part == count;
    int *const all = whole ? theirs : room + members * part;
    MPI_Gather(mine + at, part, MPI_INT, room, part, MPI_INT, 0, group);
    if (leads()) MPI_Gather(room, members * part, MPI_INT, all, members * part, MPI_INT, 0, masters);
    for (int of = 0; of < size && rank == 0 && !whole; ++of)
      memcpy(theirs + of * count + at, all + of * part, sizeof(int) * (size_t)part);
  }
}

/* By name; a slice of 0: the standard one. */
static void call(const char *name, int count, int slice) {
  if (strcmp(name, "bcast") == 0)
    slice > 0 ? bcast(count, slice) : (void)MPI_Bcast(mine, count, MPI_INT, 0, MPI_COMM_WORLD);
  else if (strcmp(name, "reduce") == 0)
    slice > 0 ? reduce(count, slice) : (void)MPI_Reduce(mine, theirs, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  else
    slice > 0 ? gather(count, slice)
              : (void)MPI_Gather(mine, count, MPI_INT, theirs, count, MPI_INT, 0, MPI_COMM_WORLD);
}

/* ---- Time and result ---- */

static void check(const char *name, int count) {
  if (strcmp(name, "bcast") == 0)
    for (int i = 0; i < count; ++i) wrong += mine[i] != value(1, i);
  else if (rank == 0 && strcmp(name, "reduce") == 0)
    for (int i = 0; i < count; ++i) wrong += theirs[i] != size * (size + 1) / 2 + 7 * i * size;
  else if (rank == 0)
    for (int of = 0; of < size; ++of)
      for (int i = 0; i < count; ++i) wrong += theirs[of * count + i] != value(of + 1, i);
}

/* Ranks have one clock: all begin at one moment, when nothing else is under way. Where ranks share a core, a second of
 * declared computation takes longer; how much is found out by a short one. */
static void wait_until(double begin_s) {
  const double before_s = MPI_Wtime();
  ORRERY_COMPUTE(SETTLED_S / 100);
  const double now_s = MPI_Wtime();
  ORRERY_COMPUTE((begin_s - now_s) * (SETTLED_S / 100) / (now_s - before_s));
}

static void timed(const char *name, const char *form, int count, int slice) {
  const int is_bcast = strcmp(name, "bcast") == 0;
  const double now_s = MPI_Wtime();
  double begin_s, end_s, last_s;
  for (int i = 0; i < count; ++i) mine[i] = is_bcast && rank > 0 ? 0 : value(rank + 1, i);
  MPI_Allreduce(&now_s, &begin_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  begin_s += SETTLED_S;
  wait_until(begin_s);
  call(name, count, slice);
  end_s = MPI_Wtime();
  check(name, count);
  MPI_Reduce(&end_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s of %d B: %.9f s\n", form, count * (int)sizeof(int), last_s - begin_s);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 1);
  const int first = atoi(argv[3]) / 4, last = atoi(argv[4]) / 4;
  const int slice = argc > 5 ? atoi(argv[5]) / 4 : 0, sliced_from = argc > 6 ? atoi(argv[6]) / 4 : 0;
  const size_t most = (size_t)last * (strcmp(argv[1], "gather") == 0 ? (size_t)size : 1);
  divide(argv[2]);
  mine = calloc((size_t)last, sizeof(int)), theirs = calloc(most, sizeof(int));
  room = calloc(2 * most, sizeof(int));
  for (int count = first; count <= last; count *= 2) {
    timed(argv[1], "standard", count, 0);
    const int is_sliced = slice > 0 && count >= sliced_from;
    timed(argv[1], "hierarchical", count, is_sliced ? slice : count);
    if (is_sliced) timed(argv[1], "whole", count, count);
  }
  int all;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) all == 0 ? puts("check: ok") : printf("check: failed: %d numbers\n", all);
  MPI_Finalize();
  return 0;
}
