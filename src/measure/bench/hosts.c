/* SPDX-License-Identifier: BSD-3-Clause
 * Who is where: names of nodes, whether "nodes" are containers of one machine, processors, to which of them a rank is bound,
 * and which MPI this is. */
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
static void sample_long_text(const char* kind, const char* text, int most_pieces) {
  for (int piece = 0; piece < most_pieces && piece * 48 < (int)strlen(text); ++piece) sample_text(kind, text + piece * 48);
}

static void sample_version(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = 0;
  sample_long_text("mpi", version, 4);
}

/* Processors that this rank may run on, as the kernel writes them, but for commas, which part samples: `0-3;8`. */
static void sample_binding(void) {
  static const char key[] = "Cpus_allowed_list:";
  char line[512] = "";
  FILE* file = fopen("/proc/self/status", "r");
  if (!file) return;
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, key, sizeof key - 1) != 0) continue;
    char* list = line + sizeof key - 1;
    list += strspn(list, " \t");
    list[strcspn(list, "\n")] = 0;
    sample_long_text("bound", list, 8);
  }
  fclose(file);
}

void orrery_hosts(const char* line) {
  (void)line;
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  sample_text("host", name);
  sample_kernel();
  sample_binding();
  orrery_sample("processors", orrery_rank, orrery_rank, 0, 0, (double)sysconf(_SC_NPROCESSORS_ONLN));
  orrery_sample("tick", orrery_rank, orrery_rank, 0, 0, MPI_Wtick());
  if (orrery_rank == 0) sample_version();
}
