/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "suite.h"

static void barrier(const struct loop* l) {
  (void)l;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(const struct loop* l) { MPI_Bcast(l->send, l->bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void reduce(const struct loop* l) {
  MPI_Reduce(l->send, l->receive, l->bytes / 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void allreduce(const struct loop* l) {
  MPI_Allreduce(l->send, l->receive, l->bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(const struct loop* l) {
  MPI_Scan(l->send, l->receive, l->bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void exscan(const struct loop* l) {
  MPI_Exscan(l->send, l->receive, l->bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
/* The whole vector is cut into blocks that differ by one element at most, larger ones first. */
static void reduce_scatter(const struct loop* l) {
  int i;
  for (i = 0; i < l->size; i++) l->counts[i] = l->bytes / 4 / l->size + (i < l->bytes / 4 % l->size);
  MPI_Reduce_scatter(l->send, l->receive, l->counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter_block(const struct loop* l) {
  MPI_Reduce_scatter_block(l->send, l->receive, l->bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void gather(const struct loop* l) {
  MPI_Gather(l->send, l->bytes, MPI_BYTE, l->receive, l->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void scatter(const struct loop* l) {
  MPI_Scatter(l->send, l->bytes, MPI_BYTE, l->receive, l->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void allgather(const struct loop* l) {
  MPI_Allgather(l->send, l->bytes, MPI_BYTE, l->receive, l->bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(const struct loop* l) {
  MPI_Alltoall(l->send, l->bytes, MPI_BYTE, l->receive, l->bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void lay_out_blocks(const struct loop* l) {
  int i;
  for (i = 0; i < l->size; i++) {
    l->counts[i] = l->bytes;
    l->places[i] = i * l->bytes;
  }
}
static void gatherv(const struct loop* l) {
  lay_out_blocks(l);
  MPI_Gatherv(l->send, l->bytes, MPI_BYTE, l->receive, l->counts, l->places, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void scatterv(const struct loop* l) {
  lay_out_blocks(l);
  MPI_Scatterv(l->send, l->counts, l->places, MPI_BYTE, l->receive, l->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void allgatherv(const struct loop* l) {
  lay_out_blocks(l);
  MPI_Allgatherv(l->send, l->bytes, MPI_BYTE, l->receive, l->counts, l->places, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoallv(const struct loop* l) {
  lay_out_blocks(l);
  MPI_Alltoallv(l->send, l->counts, l->places, MPI_BYTE, l->receive, l->counts, l->places, MPI_BYTE, MPI_COMM_WORLD);
}

int collective_call(const struct loop* l) {
  static const struct {
    const char* name;
    void (*call)(const struct loop*);
  } calls[] = {{"barrier", barrier},
               {"bcast", bcast},
               {"reduce", reduce},
               {"allreduce", allreduce},
               {"scan", scan},
               {"exscan", exscan},
               {"gather", gather},
               {"reduce_scatter", reduce_scatter},
               {"reduce_scatter_block", reduce_scatter_block},
               {"scatter", scatter},
               {"allgather", allgather},
               {"gatherv", gatherv},
               {"alltoall", alltoall},
               {"allgatherv", allgatherv},
               {"alltoallv", alltoallv},
               {"scatterv", scatterv}};
  size_t i;
  for (i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!strcmp(l->test, calls[i].name)) {
      calls[i].call(l);
      return 1;
    }
  return 0;
}

int collective_turn(const struct loop* l) {
  const int known = collective_call(l);
  if (known && strcmp(l->test, "barrier") != 0) MPI_Barrier(MPI_COMM_WORLD);
  return known;
}
