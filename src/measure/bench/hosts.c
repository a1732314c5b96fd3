/* SPDX-License-Identifier: BSD-3-Clause
 * Who is where: names of nodes, whether "nodes" are containers of one machine, processors, and which MPI this is. */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static void sample_text(const char* kind, const char* text) {
  char what[ORRERY_NAME];
  snprintf(what, sizeof what, "%s:%.48s", kind, text);
  what[strcspn(what, "\n")] = 0;
  orrery_sample(what, orrery_rank, orrery_rank, 0, 0, 0);
}

/* Equal on all containers of one running kernel, and on no other machine. */
static void sample_kernel(void) {
  char id[48] = "";
  FILE* file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (!file) return;
  if (fgets(id, sizeof id, file)) sample_text("kernel", id);
  fclose(file);
}

/* In pieces: a sample has little room for text. */
static void sample_version(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = 0;
  for (int piece = 0; piece < 4 && piece * 48 < (int)strlen(version); ++piece) sample_text("mpi", version + piece * 48);
}

void orrery_hosts(const char* line) {
  (void)line;
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  sample_text("host", name);
  sample_kernel();
  orrery_sample("processors", orrery_rank, orrery_rank, 0, 0, (double)sysconf(_SC_NPROCESSORS_ONLN));
  orrery_sample("tick", orrery_rank, orrery_rank, 0, 0, MPI_Wtick());
  if (orrery_rank == 0) sample_version();
}
