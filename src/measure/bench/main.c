/* SPDX-License-Identifier: BSD-3-Clause
 * Goes through the plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

int orrery_rank, orrery_size;

static const struct {
  const char* kind;
  void (*run)(const char* line);
} experiments[] = {
    {"hosts", orrery_hosts},       {"clocks", orrery_clocks},   {"ping", orrery_ping},
    {"pingpong", orrery_pingpong}, {"limit", orrery_limit},     {"flows", orrery_flows},
    {"queue", orrery_queue},       {"overlap", orrery_overlap}, {"calls", orrery_calls},
    {"compute", orrery_compute},   {"wire", orrery_wire},       {"nonblocking", orrery_nonblocking},
    {"foreign", orrery_foreign},   {"slice", orrery_slice},     {"steal", orrery_steal},
    {"noise", orrery_noise},
};

void orrery_fail(const char* what, const char* detail) {
  fprintf(stderr, "orrery_bench: rank %d: %s: %s\n", orrery_rank, what, detail);
  MPI_Abort(MPI_COMM_WORLD, 3);
  exit(3);
}

static void run(const char* line) {
  char kind[ORRERY_NAME] = "";
  sscanf(line, "%*s %63s", kind);
  for (size_t i = 0; i < sizeof experiments / sizeof *experiments; ++i)
    if (strcmp(experiments[i].kind, kind) == 0) {
      experiments[i].run(line);
      return;
    }
  orrery_fail("no experiment of this kind", line);
}

/* Rank 0 decides for all whether there is time left. */
static int may_go_on(double started, double seconds) {
  int go_on = seconds <= 0 || MPI_Wtime() - started < seconds;
  MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return go_on;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double started = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &orrery_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &orrery_size);
  if (argc < 3) orrery_fail("usage", "orrery_bench PLAN RESULTS [SECONDS]");
  const double seconds = argc > 3 ? atof(argv[3]) : 0;
  char* plan = orrery_plan(argv[1], argv[2]);
  int left = 0;
  for (char* line = strtok(plan, "\n"); line; line = strtok(NULL, "\n")) {
    char id[ORRERY_NAME] = "";
    sscanf(line, "%63s", id);
    if (left > 0 || !may_go_on(started, seconds)) {
      ++left;
      continue;
    }
    run(line);
    orrery_done(id, argv[2]);
  }
  if (orrery_rank == 0 && left > 0) printf("orrery_bench: out of time, %d experiments left\n", left);
  free(plan);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
