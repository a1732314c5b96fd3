/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seen OUT.csv COLLECTIVE:BYTES...
 *
 * Makes each call twice, as the first may prepare things, and writes down the messages of the second:
 *   node,RANK,NAME                                  where ranks are
 *   hidden,SOURCE,DESTINATION                       messages of these cannot be seen
 *   call,COLLECTIVE,BYTES                           that it was made, which may send nothing
 *   sent,SOURCE,DESTINATION,MESSAGES,BYTES          of the call before
 * Open MPI tells them with OMPI_MCA_pml_monitoring_enable=1, MPICH over UCX, all of them with MPIR_CVAR_NOLOCAL=1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seen.h"
#include "suite.h"

static void fail(const char* what) {
  fprintf(stderr, "seen: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static FILE* opened(const char* name) {
  FILE* const file = fopen(name, "w");
  if (!file) fail(name);
  return file;
}

static void write_nodes(FILE* out, const struct loop* loop) {
  char name[MPI_MAX_PROCESSOR_NAME] = "", *const all = malloc((size_t)loop->size * sizeof name);
  int length, i;
  MPI_Get_processor_name(name, &length);
  if (!all) fail("no memory");
  MPI_Gather(name, sizeof name, MPI_CHAR, all, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; out && i < loop->size; i++) fprintf(out, "node,%d,%s\n", i, all + (size_t)i * sizeof name);
  free(all);
}

static void write_hidden(FILE* out, const struct loop* loop, const int* visible) {
  int *const all = malloc((size_t)loop->size * (size_t)loop->size * sizeof *all), i;
  if (!all) fail("no memory");
  MPI_Gather((void*)visible, loop->size, MPI_INT, all, loop->size, MPI_INT, 0, MPI_COMM_WORLD);
  for (i = 0; out && i < loop->size * loop->size; i++)
    if (!all[i] && i / loop->size != i % loop->size) fprintf(out, "hidden,%d,%d\n", i / loop->size, i % loop->size);
  free(all);
}

/* Rank 0 asks one after the other. */
static void write_sent(FILE* out, const struct loop* loop, struct sent* sent) {
  const int bytes = loop->size * (int)sizeof *sent;
  int source, i;
  if (loop->rank) {
    MPI_Send(sent, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    return;
  }
  fprintf(out, "call,%s,%d\n", loop->test, loop->bytes);
  for (source = 0; source < loop->size; source++) {
    if (source) MPI_Recv(sent, bytes, MPI_BYTE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = 0; i < loop->size; i++)
      if (sent[i].messages) fprintf(out, "sent,%d,%d,%lld,%lld\n", source, i, sent[i].messages, sent[i].bytes);
  }
}

static void see_call(FILE* out, const struct loop* loop, struct sent* sent) {
  if (!collective_call(loop)) fail(loop->test);
  MPI_Barrier(MPI_COMM_WORLD);
  seen_begin();
  collective_call(loop);
  seen_end();
  MPI_Barrier(MPI_COMM_WORLD);
  write_sent(out, loop, sent);
}

int main(int argc, char** argv) {
  int c, largest = 0, *sizes, *visible;
  struct loop loop;
  struct sent* sent;
  FILE* out;
  MPI_Init(&argc, &argv);
  sizes = calloc((size_t)argc + 1, sizeof *sizes);
  if (argc < 2 || !sizes) fail("usage: seen OUT.csv COLLECTIVE:BYTES...");
  for (c = 2; c < argc; c++) {
    sizes[c] = cut_size(argv[c]);
    if (sizes[c] > largest) largest = sizes[c];
  }
  set_up(&loop, largest);
  sent = calloc((size_t)loop.size, sizeof *sent);
  visible = calloc((size_t)loop.size, sizeof *visible);
  if (!sent || !visible) fail("no memory");
  out = loop.rank ? NULL : opened(argv[1]);
  seen_set_up(sent, visible, loop.rank, loop.size);
  write_nodes(out, &loop);
  write_hidden(out, &loop, visible);
  for (c = 2; c < argc; c++) {
    loop.test = argv[c];
    loop.bytes = sizes[c];
    see_call(out, &loop, sent);
  }
  if (out) fclose(out);
  MPI_Finalize();
  return 0;
}
